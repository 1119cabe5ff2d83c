// SPDX-License-Identifier: Apache-2.0
// An element as text.
#pragma once

#include <cstdint>
#include <string>

#include "core/tensor.h"

namespace opref::exact {

/// One element as the shortest text that io's make_tensor reads back to the same bits; integers below 10^16 with their
/// true digits (99840, not 99800, in bfloat16); NaN with another pattern than `nan_of` as bits ("0x7fc1").
std::string element_text(const Tensor& tensor, std::int64_t index);
/// "0x7fc1": bits in full, as a literal has them.
std::string bits_text(std::uint64_t bits, int width);

}  // namespace opref::exact
