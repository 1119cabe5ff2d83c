// SPDX-License-Identifier: Apache-2.0
// What a sum is multiplied by before it is rounded: means, requantizations, norms of a part.
#pragma once

#include <concepts>

#include "exact/exact_sum.h"
#include "exact/rounded_real.h"
#include "exact/whole.h"

namespace opref::exact {

/// a/(b + b_rest), which is not rounded: of two doubles, or of integers that they do not hold.
struct Ratio {
  double a = 1, b = 1;
  double b_rest = 0;  ///< what an integer is beyond its nearest double b
  Ratio() = default;
  Ratio(double over, double under) : a(over), b(under) {}
  /// |over| <= 2^53
  template <std::integral A, std::integral B>
  Ratio(A over, B under) : a(static_cast<double>(over)) {
    const WholeParts parts = parts_of_whole(under);
    b = parts.nearest, b_rest = parts.rest;
  }
  bool is_one() const { return a == b && a != 0 && a - b == 0 && b_rest == 0; }
};

/// The sum times a ratio. Where the sum, a or b is zero or not finite, what IEEE 754 says of sum·a/b, in which a
/// finite sum counts by its sign alone; an exact zero is +0, a non-zero number whose nearest double is zero keeps its
/// sign.
RoundedReal scaled(ExactSum& sum, const Ratio& ratio);

}  // namespace opref::exact
