// A sum in double that knows what its additions lost: the first of the two tiers.
#pragma once

#include <cmath>

#include "exact/rounding.h"
#include "exact/slack.h"

namespace opref {

/// The sum of numbers that float can hold, and of products of two of them: such products are exact in double, so that
/// only the additions round. What they lose is added up too, and so are its magnitudes; where nothing was lost the sum
/// is exact, ties and zeros included.
class CompensatedSum {
 public:
  void add(double x) { add(x, 1.0); }
  void add(double a, double b) {
    const double term = a * b, sum = sum_ + term, part = sum - sum_;
    const double lost = (sum_ - (sum - part)) + (term - part);  // exact (Knuth's TwoSum)
    sum_ = sum;
    rest_ += lost;
    lost_ += std::abs(lost);
    ++terms_;
  }
  /// The exact sum rounded to T, where the bound leaves no doubt which T that is; else false, and y is unchanged.
  /// Undecided are NaN and infinities (what is lost is not finite then), and brackets across a midpoint or zero.
  template <class T>
  bool round(T& y, const Slack& slack = {}) const {
    if (!(lost_ <= 0x1p1000)) return false;
    // Of n additions the first loses nothing, and the sum of what the others lose rounds n - 2 times.
    const double error = lost_ == 0 ? 0 : slack.bound(std::max(0.0, terms_ - 2)) * lost_;
    const T low = nearest<T>(add_to_odd(sum_, rest_ - error));
    if (to_bits(low) != to_bits(nearest<T>(add_to_odd(sum_, rest_ + error)))) return false;
    y = low;
    return true;
  }

 private:
  double sum_ = 0;  ///< never -0: it starts as +0
  double rest_ = 0, lost_ = 0, terms_ = 0;
};

}  // namespace opref
