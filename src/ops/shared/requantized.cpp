// SPDX-License-Identifier: Apache-2.0
#include "ops/shared/requantized.h"

#include <cmath>

#include "core/error.h"
#include "exact/rounding.h"
#include "ops/shared/quantized.h"
namespace opref::ops {
namespace {
Interval unknown() {
  return choose(
      Interval::Truth::unknown, [] { return Interval(-HUGE_VAL); }, [] { return Interval(HUGE_VAL); });
}
}  // namespace
// Of NaN it is 0; what is beyond 64 bits saturates all the same.
Interval nearest_whole(const Interval& x) {
  const auto bits = exact::converted(x, DType::int64, kWhole);
  return bits ? Interval::whole(static_cast<std::int64_t>(*bits)) : unknown();
}
Interval nearest_single(const Interval& x) {
  float y = 0;
  return exact::settle(x, y) ? Interval(widen(y)) : unknown();
}

Requantizing::Requantizing(const Output& y) : named(y) {
  const DTypeInfo& type = info(y.type().dtype);
  const bool is_signed = type.kind == Kind::signed_integer;
  most = std::ldexp(1.0, type.bits - is_signed) - 1, least = is_signed ? -most - 1 : 0;
  const Call& call = y.call();
  in_single = lists_reading(call, "qlinear.arithmetic") && call.reads("qlinear.arithmetic", "float32");
  is_inside = lists_reading(call, "qlinear.rounding") && call.reads("qlinear.rounding", "inside");
}

void require_single_numbers(const Call& call, std::initializer_list<std::string_view> parameters) {
  for (const std::string_view parameter : parameters) {
    if (!call.has(parameter)) continue;
    const Dims& shape = call.type(parameter).shape;
    require(shape.empty() || shape == Dims{1}, "{} has shape {}, but must be one number: [] or [1]", parameter, shape);
  }
}
namespace {
bool takes_any_scale(const Call& call) {
  return lists_reading(call, "qlinear.scale") && call.reads("qlinear.scale", "any");
}
}  // namespace
void require_usual_scales(const Call& call, std::initializer_list<std::string_view> scales) {
  if (takes_any_scale(call)) return;
  for (const std::string_view scale : scales) require_scales(call, scale);
}
void require_usual_scale(const Call& call, const Input& scale) {
  const double x = Elements(scale.tensor()).number(0);
  require(takes_any_scale(call) || (x > 0 && std::isfinite(x)), "a scale has {}, but must be finite and > 0", x);
}

Tensor single_number(const Call& call, std::string_view parameter) {
  if (call.has(parameter)) return call.input(parameter).reshaped({});
  return Tensor::of<float>(DType::float32, {}, std::array{0.0F});
}

bool has_unusual_scale(const Call& call) {
  const auto is_unusual = [](const Input& input) {
    const Tensor* scale = input.value ? input.value->tensor() : nullptr;
    return scale != nullptr && scale->dtype() == DType::float32 &&
           any_of(*scale, [](double x) { return !(x > 0 && std::isfinite(x)); });
  };
  return std::ranges::any_of(call.inputs(), is_unusual);
}

Reading arithmetic_reading() {
  return {
      .name = "qlinear.arithmetic",
      .alternatives = {"exact: the formula is one of real numbers, rounded at its end alone",
                       "float32: each of its operations gives a float32"},
      .defaults = {{1, "exact"}},
      .reason = "the page gives a formula of real numbers; onnxruntime computes it in float32, which differs at ties",
      .may_change_values = [](const Call&) { return true; }};
}
Reading any_scale_reading(bool (*of)(const Call&)) {
  return {.name = "qlinear.scale",
          .alternatives = {"positive: a scale is finite and > 0, others are invalid",
                           "any: what is divided by 0 saturates, and 0/0 is as 0"},
          .defaults = {{1, "positive"}},
          .reason = "a scale is a step between numbers; onnxruntime takes any",
          .may_change_values = of};
}
Reading softmax_scale_reading(bool (*may_change_values)(const Call&)) {
  return {.name = "qlinear_softmax.scale",
          .alternatives = {"quotient: what is quantized is divided by y_scale",
                           "floor: it is multiplied by the whole part of 1 / y_scale"},
          .defaults = {{1, "quotient"}},
          .reason = "y_scale is a scale as all others; onnxruntime multiplies by floor(1 / y_scale)",
          .may_change_values = may_change_values};
}
Reading zero_point_reading(std::string_view by_default, std::string_view reason) {
  return {.name = "qlinear.rounding",
          .alternatives = {"inside: the sum with the zero point is rounded",
                           "outside: the quotient is rounded, then the zero point added"},
          .defaults = {{1, by_default}},
          .reason = reason,
          .may_change_values = [](const Call&) { return true; }};
}
}  // namespace opref::ops
