// SPDX-License-Identifier: Apache-2.0
// What a sum is multiplied by before it is rounded: means, requantizations, norms of a part.
#pragma once

#include "exact/exact_sum.h"
#include "exact/rounded_real.h"

namespace opref::exact {

/// a/b, a quotient of two doubles, which is not rounded.
struct Ratio {
  double a = 1, b = 1;
  bool is_one() const { return a == b && a != 0 && a - b == 0; }
};

/// The real number sum·a/b. Where the sum, a or b is zero or not finite, what IEEE 754 says of sum·a/b, in which a
/// finite sum counts by its sign alone; an exact zero is +0, a non-zero number whose nearest double is zero keeps its
/// sign.
RoundedReal scaled(ExactSum& sum, const Ratio& ratio);

}  // namespace opref::exact
