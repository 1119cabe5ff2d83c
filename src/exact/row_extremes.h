// SPDX-License-Identifier: Apache-2.0
// A vector loop over a row that finds its ends.
#pragma once

#include <array>
#include <cstddef>

namespace opref::exact {

/// The places of the least and of the greatest of n > 0 numbers, of equal ones the first; both are that of the first
/// NaN where there is one. Zeros of either sign are equal.
std::array<std::size_t, 2> row_extremes(const float* x, std::size_t n);

}  // namespace opref::exact
