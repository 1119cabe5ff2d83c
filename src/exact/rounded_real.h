// SPDX-License-Identifier: Apache-2.0
// A real number as the double nearest to it and the side of it: enough to round it to every format, in every direction.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <type_traits>

#include "exact/exact_sum.h"
#include "exact/rounding.h"

namespace opref::exact {

struct RoundedReal {
  double nearest = 0;
  int beyond = 0;  ///< the sign of the number minus `nearest`; 0 where `nearest` is not finite

  static RoundedReal of(ExactSum& sum) {
    const auto nearest = sum.round<double>();
    if (!std::isfinite(nearest)) return {nearest};
    ExactSum rest = sum;
    rest.add(-nearest);
    return {nearest, rest.sign()};
  }

  /// A double that rounds to narrower formats as the number does.
  double to_odd() const {
    const bool is_even = (std::bit_cast<std::uint64_t>(nearest) & 1) == 0;
    if (beyond == 0 || !is_even || !std::isfinite(nearest)) return nearest;
    return std::nextafter(nearest, beyond > 0 ? HUGE_VAL : -HUGE_VAL);
  }

  /// The T nearest to the number, ties to even.
  template <class T>
  T round() const {
    return exact::nearest<T>(std::is_same_v<T, double> ? nearest : to_odd());
  }
};

}  // namespace opref::exact
