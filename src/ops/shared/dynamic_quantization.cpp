// SPDX-License-Identifier: Apache-2.0
#include "ops/shared/dynamic_quantization.h"

#include <algorithm>
#include <cmath>

#include "core/error.h"
#include "exact/rounding.h"
namespace opref::ops {
// Zeros alone have the scale 0, the zero point 0 and the integers 0.
DynamicQuantization::DynamicQuantization(const Output& towards, std::span<const float> x, std::string_view what)
    : integers(x.size()) {
  float low = 0, high = 0;
  for (const float number : x) {
    require(std::isfinite(number), "{} has {}, but must be finite: its range gives a scale", what, number);
    low = std::min(low, number), high = std::max(high, number);
  }
  const auto ieee = [](float number) { return Ieee(widen(number)); };
  const auto clamped = [](const Ieee& whole) { return std::clamp(whole.v, 0.0, kMost); };
  scale = nearest<float>(DynamicScale{}(ieee(low), ieee(high)).v);
  if (scale == 0) return;
  const Named untold(towards);
  const double zero = clamped(DynamicZeroPoint{{}, untold}(ieee(low), ieee(scale)));
  zero_point = static_cast<std::int64_t>(zero);
  std::ranges::transform(x, integers.begin(), [&](float number) {
    return static_cast<std::uint8_t>(clamped(DynamicallyQuantized{{}, untold}(ieee(number), ieee(scale), Ieee(zero))));
  });
}
}  // namespace opref::ops
