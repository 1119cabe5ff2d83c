// SPDX-License-Identifier: Apache-2.0
#include "exact/power.h"

namespace opref::exact {

std::optional<Power> Power::of(double p) {
  constexpr int kMostDigits = 40;
  if (!(p > 0 && p <= kMostEstimatedPower)) return {};
  const int whole = static_cast<int>(p);
  const double places = std::ldexp(p - whole, kMostDigits);
  if (places != std::floor(places)) return {};
  const auto fraction = static_cast<std::uint64_t>(places);
  if (fraction == 0) return Power(whole);
  const int zeros = std::countr_zero(fraction);
  return Power(whole, fraction >> zeros, kMostDigits - zeros);
}

}  // namespace opref::exact
