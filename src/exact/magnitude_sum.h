// SPDX-License-Identifier: Apache-2.0
// The accumulator behind rigorous error bounds: an exact sum, the exact sum of magnitudes, and what else they depend
// on.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

#include "exact/exact_sum.h"

namespace opref::exact {

class MagnitudeSum {
 public:
  void add(double x) {
    ++terms_;
    observe(x);
    sum_.add(x);
    if (std::isfinite(x)) magnitude_.add(std::abs(x));
  }
  void add(double a, double b) {
    ++terms_;
    observe(a);
    observe(b);
    sum_.add(a, b);
    if (std::isfinite(a) && std::isfinite(b)) magnitude_.add(std::abs(a), std::abs(b));
  }
  void clear() {
    sum_.clear();
    magnitude_.clear();
    terms_ = 0;
    least_factor_ = std::numeric_limits<double>::infinity();
    finite_ = true;
  }

  ExactSum& sum() { return sum_; }
  /// Σ|terms|, of finite terms only.
  ExactSum& magnitude() { return magnitude_; }
  double terms() const { return terms_; }
  /// The least magnitude of a factor that is not zero; infinity where there is none.
  double least_factor() const { return least_factor_; }
  /// Whether all factors are finite.
  bool finite() const { return finite_; }

 private:
  void observe(double factor) {
    finite_ = finite_ && std::isfinite(factor);
    if (factor != 0) least_factor_ = std::min(least_factor_, std::abs(factor));  // NaN is never less
  }

  ExactSum sum_, magnitude_;
  double terms_ = 0;
  double least_factor_ = std::numeric_limits<double>::infinity();
  bool finite_ = true;
};

}  // namespace opref::exact
