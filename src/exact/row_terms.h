// SPDX-License-Identifier: Apache-2.0
// Vector loops over sums of a few terms, which lie side by side in rows of floats.
#pragma once

#include <cstddef>
#include <cstdint>

namespace opref::exact {

/// y[i] = the float nearest to (Σ over t < count of terms[t][i])/divisor, +0 where that is 0. doubts[i] becomes 1 where
/// it may not be, else 0; so does is_inexact[i] where y[i] may not be the number itself. count and divisor are whole
/// numbers from 1 to 2^28. How many doubts there are.
std::size_t row_sum_of_terms(const float* const* terms, std::size_t count, double divisor, std::size_t n, float* y,
                             std::int32_t* is_inexact, std::int32_t* doubts);

}  // namespace opref::exact
