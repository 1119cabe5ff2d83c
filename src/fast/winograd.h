// SPDX-License-Identifier: Apache-2.0
// Convolutions of kernels of three taps by Winograd's forms, in double: they need 16/36 or 4/9 of the products, and
// each element's error is bounded. What the bound leaves open is left to the definition.
#pragma once

#include "fast/fast.h"

namespace opref::fast {

enum class WinogradForm { none, two, four, line_of_four };

/// The form that pays for a convolution, or none.
WinogradForm winograd_form(const Convolution& c);

/// Of float32, float16 or bfloat16. The form is of c's kernels: 3x3, or of a line 3, that move by one without
/// dilation. True.
bool winograd_convolution(const RowTarget& y, const Convolution& c, WinogradForm form);

}  // namespace opref::fast
