// SPDX-License-Identifier: Apache-2.0
// Vector loops that add the terms of neighbours in double, and know how wrong the sums can be.
#pragma once

#include <cstddef>

#include "exact/slack.h"
#include "exact/term_rows.h"

namespace opref::exact {

/// sum[j] = the sum of each result's terms, lost[j] = what its additions lost, in magnitude: the exact sum is within
/// lost[j]·1.01, and is sum[j] where nothing was lost (TwoSum). For few terms, whose means are often ties.
void add_rows(const double* x, const TermRows& rows, Begun begun, double* sum, double* lost);
/// Likewise of doubles, in whose precision `low` counts, what additions lost with its sign: what CompensatedSum knows.
void add_rows(const double* x, const TermRows& rows, Begun begun, double* sum, double* low, double* lost);
/// sum[j], and size[j], the sum of the terms' magnitudes. For many terms: no term takes part in more additions than
/// there are terms, less one.
void add_many_rows(const double* x, const TermRows& rows, Begun begun, double* sum, double* size);

/// The sum of numbers that lie beside each other, in lanes.
class LongSum {
 public:
  void add(const double* x, std::size_t n);
  double sum() const;
  double size() const;  ///< of the terms' magnitudes
  /// In how many additions a term takes part, at most.
  double additions() const { return additions_ + kJoining; }

 private:
  static constexpr std::size_t kLanes = 16;
  static constexpr double kJoining = 4;  ///< steps in which lanes are joined by twos
  double sum_[kLanes] = {}, size_[kLanes] = {};
  double additions_ = 0;  ///< of a lane
};

/// x[i] = |x[i]|, x[i]²
void row_magnitude(double* x, std::size_t n);
void row_square(double* x, std::size_t n);

/// value[i] becomes value[i]/divisor, and error[i] bounds how far that is from s/divisor, for each s within
/// scale·error[i] of value[i]: 0 where it is exact. The divisor is a whole number > 0; numbers that are not zero are
/// not below 2^-300.
void row_divide(double* value, double* error, double scale, double divisor, std::size_t n);

}  // namespace opref::exact
