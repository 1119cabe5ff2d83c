// SPDX-License-Identifier: Apache-2.0
// Elements written as text.
#pragma once

#include <string>
#include <string_view>

#include "io/tensor_source.h"

namespace opref::io {

/// "[[1,2],[3,4]]", "5", "[]": nested lists, at most 16 deep, of numbers (1.5, 3e-7, 1+2j), names (NaN, Inf, true),
/// bits (0x7fc1) and strings in double quotes (see parse_quoted). Ragged lists are `usage` errors that name the
/// place. What the elements mean is decided by `make_tensor`.
Literal parse_literal(std::string_view text);

/// The literal as a tensor. Each decimal is rounded once to `dtype` (nearest, ties to even; not through float64); above
/// the largest finite number it is infinity, or an error where the type has none. Integer types refuse fractions and
/// overflow, bool takes true, false, 0 and 1. Bits are written in full; of a complex element the imaginary half stands
/// first. Faults: the literal's, with the element's place.
Tensor make_tensor(const Literal& literal, DType dtype);

}  // namespace opref::io
