// SPDX-License-Identifier: Apache-2.0
// Formulas of the numbers that integers of few bits stand for, whose results are such integers again: the scales, the
// zero points, the roundings and the readings of the QLinear operators of com.microsoft.
#pragma once

#include <algorithm>
#include <cmath>
#include <concepts>
#include <optional>
#include <string_view>
#include <vector>

#include "evaluators/elementwise.h"
#include "evaluators/programs.h"
#include "exact/convert.h"
#include "exact/real/quick.h"
#include "exact/real/static_bound.h"
#include "exact/rounding.h"
#include "ops/shared/parameters.h"
#include "schema/operator.h"
namespace opref::ops {
// A number's nearest whole number, of two the even one, and its nearest float32, as far as they are known: where they
// are not, nothing is known of the result.

/// A monotonic function of what the number is between, where both ends give the same.
template <class F>
OPREF_INLINE Bounded monotonic(const Bounded& x, const F& f) {
  const double e = x.e == 0 ? 0 : x.e * 1.01 + std::abs(x.v) * 0x1p-50, low = f(x.v - e), high = f(x.v + e);
  return {low, low == high ? 0 : kInfinity};
}
OPREF_INLINE Bounded nearest_whole(const Bounded& x) {
  return monotonic(x, [](double v) {
    constexpr double kWholes = 0x1p52;  // from here on doubles are whole, and below those between it and its double
    const double size = std::abs(v);
    return size < kWholes ? std::copysign((size + kWholes) - kWholes, v) : v;
  });
}
Interval nearest_whole(const Interval& x);
inline Faithful nearest_whole(const Faithful& x) { return round(x); }
OPREF_INLINE Bounded nearest_single(const Bounded& x) {
  return monotonic(x, [](double v) { return widen(static_cast<float>(v)); });
}
Interval nearest_single(const Interval& x);
inline Faithful nearest_single(const Faithful& x) { return rounded_to(x, DType::float32); }
// Results that are integers are never asked of these.
template <class R>
concept OfFloats = std::same_as<R, Quick> || std::same_as<R, StaticBound> || std::same_as<R, Paired>;
template <OfFloats R>
R nearest_whole(const R& x) {
  return x / R(0.0);
}
template <OfFloats R>
R nearest_single(const R& x) {
  return x / R(0.0);
}

/// What a formula makes of integers, and how its result becomes one of `type`.
struct Requantizing {
  double least, most;      ///< of the type
  bool in_single = false;  ///< each operation gives a float32: qlinear.arithmetic
  bool is_inside = false;  ///< the zero point is added before the sum is rounded: qlinear.rounding
  Named named;

  /// By the readings that the operator has.
  explicit Requantizing(const Output& y);

  template <class R>
  OPREF_INLINE R step(const R& x) const {
    return in_single ? nearest_single(x) : x;
  }
  /// (x - zero_point)·scale
  template <class R>
  OPREF_INLINE R real(const R& x, const R& scale, const R& zero_point) const {
    return step((x - zero_point) * scale);
  }
  /// saturate(nearest(v/scale) + zero_point), or saturate(nearest(v/scale + zero_point))
  template <class R>
  OPREF_INLINE R integer(const R& v, const R& scale, const R& zero_point) const {
    const R quotient = named("divided by the scale", step(named("the real number", v) / scale));
    const R whole = is_inside ? nearest_whole(step(quotient + zero_point)) : nearest_whole(quotient) + zero_point;
    return min(R(most), max(R(least), whole));
  }
};
/// Of elementwise formulas that give such integers.
inline constexpr exact::Conversion kWhole{.beyond = exact::Conversion::Beyond::saturate,
                                          .fraction = exact::Conversion::Fraction::nearest};

/// Scales and zero points that are one number: () or [1]; others are `invalid`. Those that are left out are skipped.
void require_single_numbers(const Call& call, std::initializer_list<std::string_view> parameters);
/// Unless qlinear.scale lets them be any: each scale is finite and > 0.
void require_usual_scales(const Call& call, std::initializer_list<std::string_view> scales);
/// The same of one of several inputs of one name, which is one number.
void require_usual_scale(const Call& call, const Input& scale);

/// One number for all elements: a zero point that is left out is 0.
Tensor single_number(const Call& call, std::string_view parameter);

// Readings of operators of version 1.

/// qlinear.arithmetic
Reading arithmetic_reading();
/// qlinear.scale; `of` says whether some scale of the call is not finite and > 0.
Reading any_scale_reading(bool (*of)(const Call&));
/// qlinear_softmax.scale
Reading softmax_scale_reading(bool (*may_change_values)(const Call&));
/// qlinear.rounding, by default "inside" or "outside".
Reading zero_point_reading(std::string_view by_default, std::string_view reason);
/// Whether one of the inputs whose names end with "scale" is known, and not finite and > 0.
bool has_unusual_scale(const Call& call);
}  // namespace opref::ops
