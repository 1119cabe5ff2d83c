// A sum in double that knows how wrong it can be: the first of the two tiers.
#pragma once

#include <cmath>

#include "exact/rounding.h"

namespace opref {

/// How wrong a sum of exact terms in any order can be, per unit of the sum of their magnitudes: +3 pays for forming the
/// two ends of the bracket, 1.01 for the higher-order term and the magnitude's own rounding.
struct AdditionBound {
  static double relative(double terms) { return (terms + 3) * 0x1p-53 * 1.01; }
};

/// The sum of numbers that float can hold, and of products of two of them: such products are exact in double, only the
/// additions round. `Bound` is a parameter so that tests can show that a wrong one is found.
template <class Bound>
class BasicBoundedSum {
 public:
  void add(double x) { add(x, 1.0); }
  void add(double a, double b) {
    const double term = a * b;
    sum_ += term;
    magnitude_ += std::abs(term);
    ++terms_;
  }
  /// The exact sum rounded to T, where the bound leaves no doubt which T that is; else false, and y is unchanged.
  /// Undecided are NaN and infinities (the magnitude is not finite then), and brackets across zero: zeros of both
  /// signs.
  template <class T>
  bool round(T& y) const {
    if (!(magnitude_ <= 0x1p1000)) return false;
    const double error = Bound::relative(terms_) * magnitude_;
    const T low = nearest<T>(sum_ - error);
    if (to_bits(low) != to_bits(nearest<T>(sum_ + error))) return false;
    y = low;
    return true;
  }

 private:
  double sum_ = 0;  ///< never -0: it starts as +0
  double magnitude_ = 0, terms_ = 0;
};

using BoundedSum = BasicBoundedSum<AdditionBound>;

}  // namespace opref
