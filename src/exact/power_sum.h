// The accumulator of a p-norm's first tier.
#pragma once

#include <cmath>

#include "exact/root.h"

namespace opref {

/// An estimate of Σ|x|^p of numbers x that float can hold.
class PowerEstimate {
 public:
  explicit PowerEstimate(const Power& p) : p_(p) {}
  void add(double x) {
    const double term = raised(std::abs(x), p_), before = sum_;
    sum_ += term;
    const double added = sum_ - before;
    lost_ += std::abs((before - (sum_ - added)) + (term - added));  // what the addition lost, exactly (Knuth's TwoSum)
    ++terms_;
  }
  double value() const { return sum_; }
  double terms() const { return terms_; }
  /// Nothing rounded. Sums of a few |x| often fall on a tie, which no bound on an error could decide.
  bool is_exact() const { return p_.is_one() && lost_ == 0; }

 private:
  Power p_;
  double sum_ = 0, lost_ = 0, terms_ = 0;
};

}  // namespace opref
