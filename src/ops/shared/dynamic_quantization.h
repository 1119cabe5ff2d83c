// SPDX-License-Identifier: Apache-2.0
// What DynamicQuantizeLinear makes of numbers: one scale and one zero point by their range, and integers of 8 bits.
#pragma once

#include <span>

#include "evaluators/elementwise.h"
#include "ops/shared/quantized.h"
#include "schema/operator.h"
namespace opref::ops {
// y_scale = (high - low)/255,  low = min(0, min x), high = max(0, max x)
struct DynamicScale : RealFormula<2> {
  static constexpr bool one_operation = true, is_told = true;
  template <class R>
  OPREF_INLINE R operator()(const R& low, const R& high) const {
    return quotient_to_odd(sum_to_odd(high, -low), R(255.0));
  }
  Interval operator()(const Interval& low, const Interval& high) const { return (high - low) / Interval(255.0); }
};

// y_zero_point = round(clamp(0 - low/y_scale, 0, 255)), the quotient a float32
struct DynamicZeroPoint : RealFormula<2> {
  static constexpr bool one_operation = true, is_told = true;
  Named named;
  template <class R>
  OPREF_INLINE R operator()(const R& low, const R& scale) const {
    return round(R(0.0) - rounded_to(low / scale, DType::float32));
  }
  Interval operator()(const Interval& low, const Interval& scale) const {
    named("y_scale", scale);
    return named_integer(named, Interval(0.0) - named_quotient(named, "low / y_scale", low, scale, DType::float32));
  }
};

// y = saturate(round(x/y_scale) + y_zero_point), the quotient a float32
struct DynamicallyQuantized : RealFormula<3> {
  static constexpr bool one_operation = true, is_told = true;
  Named named;
  template <class R>
  OPREF_INLINE R operator()(const R& x, const R& scale, const R& zero_point) const {
    return round(rounded_to(x / scale, DType::float32)) + zero_point;
  }
  Interval operator()(const Interval& x, const Interval& scale, const Interval& zero_point) const {
    named("y_scale", scale);
    const Interval nearest = named_integer(named, named_quotient(named, "x / y_scale", x, scale, DType::float32));
    return nearest + named("y_zero_point", zero_point);
  }
};

/// The same of numbers that are known, on the way to others.
struct DynamicQuantization {
  float scale = 0;
  std::int64_t zero_point = 0;
  std::vector<std::uint8_t> integers;

  /// Of finite numbers, on the way to this output, low and high being 0 where there are none; others are `invalid`:
  /// `what` names them.
  DynamicQuantization(const Output& towards, std::span<const float> x, std::string_view what);
  static constexpr double kMost = 255;
};
}  // namespace opref::ops
