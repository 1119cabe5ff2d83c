// SPDX-License-Identifier: Apache-2.0
// The accumulator of a p-norm's first tier.
#pragma once

#include <cmath>
#include <span>

#include "exact/root.h"

namespace opref::exact {

/// An estimate of Σ|x|^p of numbers x that float can hold.
class PowerEstimate {
 public:
  explicit PowerEstimate(const Power& p) : p_(p) {}
  void add(double x) { add(std::span(&x, 1)); }
  void add(std::span<const double> x) {
    if (p_.is_two())
      add(x, [](double magnitude) { return magnitude * magnitude; });
    else
      add(x, [this](double magnitude) { return raised(magnitude, p_); });
  }
  double value() const { return sum_; }
  double terms() const { return terms_; }
  /// Nothing rounded. Sums of a few |x| often fall on a tie, which no bound on an error could decide.
  bool is_exact() const { return p_.is_one() && lost_ == 0; }

 private:
  template <class PowerOf>
  void add(std::span<const double> x, const PowerOf& power) {
    double sum = sum_, lost = lost_;
    for (const double number : x) {
      const double term = power(std::abs(number)), before = sum;
      sum += term;
      const double added = sum - before;
      lost += std::abs((before - (sum - added)) + (term - added));  // what the addition lost, exactly (Knuth's TwoSum)
    }
    sum_ = sum, lost_ = lost;
    terms_ += static_cast<double>(x.size());
  }

  Power p_;
  double sum_ = 0, lost_ = 0, terms_ = 0;
};

}  // namespace opref::exact
