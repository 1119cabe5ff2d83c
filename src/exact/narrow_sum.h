// SPDX-License-Identifier: Apache-2.0
// The accumulator of a naive kernel: it rounds to a format after each operation, in the order in which terms come.
#pragma once

#include <cmath>

#include "exact/rounding.h"

namespace opref::exact {

/// What rounds: each product and each addition, or each addition of an exact product.
enum class Fused : std::uint8_t { no, yes };

/// What comes to the accumulator: inputs that are rounded to its type; inputs as they are, of float32 or narrower; or
/// these, and each operation is float32's before the sum is rounded.
enum class Operands : std::uint8_t { rounded, whole, in_float32 };

/// T is Half, BFloat16, float or double.
template <class T>
class NarrowSum {
 public:
  explicit NarrowSum(Fused fused = Fused::no, Operands operands = Operands::rounded)
      : fused_(fused), operands_(operands) {}
  void add(double x) {
    if (operands_ == Operands::rounded)
      sum_ = rounded(sum_ + rounded(x));
    else
      sum_ = rounded(operands_ == Operands::whole ? add_to_odd(sum_, x) : single(sum_ + x));
  }
  void add(double a, double b) {
    if (operands_ == Operands::in_float32) {
      sum_ = rounded(single(sum_ + single(a * b)));
      return;
    }
    if (operands_ == Operands::rounded) {
      a = rounded(a);
      b = rounded(b);
    }
    if (fused_ == Fused::no)
      sum_ = rounded(sum_ + rounded(a * b));
    else if constexpr (std::is_same_v<T, double>)
      sum_ = std::fma(a, b, sum_);
    else
      sum_ = rounded(add_to_odd(a * b, sum_));  // products of two such numbers, or of two floats, are exact in double
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
  static double single(double x) { return static_cast<float>(x); }

  Fused fused_;
  Operands operands_;
  double sum_ = 0;
};

}  // namespace opref::exact
