// SPDX-License-Identifier: Apache-2.0
// The products of the first numbers of a row, of each count of them.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/rooms.h"

namespace opref::exact {

/// Products of floats or narrower numbers, which are given a part after the other. The exponent is counted apart, so
/// that no product overflows or underflows, and each of its roundings loses at most 2^-53 of it: `lost` of them, those
/// that were not exact. What has lost nothing has no error, so that ties are decided.
class RunningProduct {
 public:
  /// y[i] ± e[i]: the product of all numbers up to x[i], or what rounds to the same float or narrower number: one that
  /// is nearer to zero than 2^-512 is 2^-900 ± 2^-901, with its sign. Where it is beyond 2^512, and after what is not
  /// finite, nothing is known: e[i] is infinite. A zero has its sign.
  void multiply(const double* x, std::size_t n, double* y, double* e);

 private:
  double v_ = 1, lost_ = 0;
  std::int64_t exponent_ = 0;
};

}  // namespace opref::exact
