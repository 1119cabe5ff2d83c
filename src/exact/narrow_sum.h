// SPDX-License-Identifier: Apache-2.0
// The accumulator of a naive kernel: it rounds to a format after each operation, in the order in which terms come.
#pragma once

#include <cmath>

#include "exact/rounding.h"

namespace opref::exact {

/// What rounds: each product and each addition, or each addition of an exact product.
enum class Fused : std::uint8_t { no, yes };

/// T is Half, BFloat16, float or double. Inputs are rounded to T first.
template <class T>
class NarrowSum {
 public:
  explicit NarrowSum(Fused fused = Fused::no) : fused_(fused) {}
  void add(double x) { sum_ = rounded(sum_ + rounded(x)); }
  void add(double a, double b) {
    a = rounded(a);
    b = rounded(b);
    if (fused_ == Fused::no)
      sum_ = rounded(sum_ + rounded(a * b));
    else if constexpr (std::is_same_v<T, double>)
      sum_ = std::fma(a, b, sum_);
    else
      sum_ = rounded(add_to_odd(a * b, sum_));  // products of two such numbers are exact in double
  }
  /// The sum, a number of T.
  double value() const { return sum_; }

  /// Rounding sums and products of such numbers to double first changes nothing: double has more than twice their bits.
  static double rounded(double x) {
    if constexpr (std::is_same_v<T, double>)
      return x;
    else if constexpr (std::is_same_v<T, float>)
      return static_cast<float>(x);
    else
      return widen(nearest<T>(x));
  }

 private:
  Fused fused_;
  double sum_ = 0;
};

}  // namespace opref::exact
