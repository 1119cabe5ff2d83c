// SPDX-License-Identifier: Apache-2.0
// ai.onnx DynamicQuantizeLinear, version 11
// https://onnx.ai/onnx/operators/onnx__DynamicQuantizeLinear.html
#include "ops/operator_file.h"
#include "ops/shared/dynamic_quantization.h"
namespace opref::ops::onnx::file_dynamic_quantize_linear {
namespace {
// dynamic_quantize_linear.scale = exact: x/y_scale, or -x/y_scale, of the exact y_scale; and the rounded one's sum
struct ExactQuotient : RealFormula<3> {
  double factor;
  template <class R>
  OPREF_INLINE R operator()(const R& x, const R& low, const R& high) const {
    return x * R(factor) / (high - low);
  }
};
struct Sum : RealFormula<2> {
  static constexpr bool one_operation = true;
  template <class R>
  OPREF_INLINE R operator()(const R& a, const R& b) const {
    return a + b;
  }
};

Operand constant(float number) { return {Tensor::of<float>(DType::float32, {}, std::array{number})}; }

/// low and high: the least and the greatest element of x, or 0; NaN where one is.
std::array<Operand, 2> range(const Tensor& x) {
  const auto all = x.values<float>();
  const auto operand = [&](Extreme extreme, const auto& is_zero) {
    const std::int64_t at = position_of(extreme, all);
    return is_zero(all[static_cast<size_t>(at)]) ? constant(0) : Operand{x, [=](std::int64_t) {
                                                                           return Run{at, 1 << 20, 0};
                                                                         }};
  };
  return {operand(Extreme::least, [](float low) { return low >= 0; }),
          operand(Extreme::greatest, [](float high) { return high <= 0; })};
}
bool is_zero(const Operand& operand) { return operand.places == nullptr; }

std::vector<Value> kernel(const Call& call, std::span<const Output> outs) {
  const Tensor& x = call.input("x");
  auto extremes = range(x);
  Operand &low = extremes[0], &high = extremes[1];
  if (is_zero(low) && is_zero(high)) {  // y_scale is high/255
    if (call.reads("dynamic_quantize_linear.zero_range", "one")) high = constant(255);
    if (call.reads("dynamic_quantize_linear.zero_range", "one_of_255")) high = constant(1);
  }
  Conversion saturated, nearest;
  saturated.beyond = nearest.beyond = Conversion::Beyond::saturate;
  nearest.fraction = Conversion::Fraction::nearest;
  const bool is_exact = call.reads("dynamic_quantize_linear.scale", "exact");
  const auto scale = [&](const Output& out) { return elementwise(out, std::array{low, high}, DynamicScale{}); };
  const auto scale_for = [&](const Output& out) { return Operand{scale(out.inner({DType::float32, {}}))}; };
  const auto zero_point = [&](const Output& out) {
    if (is_exact) return elementwise(out, std::array{low, low, high}, ExactQuotient{{}, -255}, nearest);
    return elementwise(out, std::array{low, scale_for(out)}, DynamicZeroPoint{{}, Named(out)}, saturated);
  };
  const auto quantized = [&](const Output& out) {
    const Operand zero{zero_point(out.inner({DType::uint8, {}}))};
    if (!is_exact)
      return elementwise(out, std::array{Operand{x}, scale_for(out), zero}, DynamicallyQuantized{{}, Named(out)},
                         saturated);
    const Output rounded = out.inner({DType::int32, x.shape()});
    const Tensor quotient = elementwise(rounded, std::array{Operand{x}, low, high}, ExactQuotient{{}, 255}, nearest);
    return elementwise(out, std::array{Operand{quotient}, zero}, Sum{}, saturated);
  };
  return {quantized(outs[0]), scale(outs[1]), zero_point(outs[2])};
}

std::vector<ValueType> output_types(const Call& call) {
  const Dims& x = call.type("x").shape;
  require(element_count(x) > 0, "x has shape {}, but must have elements: a range is made of them", x);
  return {TensorType{DType::uint8, x}, TensorType{DType::float32, {}}, TensorType{DType::uint8, {}}};
}

bool is_all_zero(const Call& call) {
  if (!call.has_value("x")) return true;
  const auto [low, high] = range(call.input("x"));
  return is_zero(low) && is_zero(high);
}
bool always(const Call&) { return true; }

void version_11(OpSchema& s) {
  s.input("x", "T1").output("y", "T2").output("y_scale", "float32").output("y_zero_point", "T2");
  s.types("T1", DType::float32).types("T2", DType::uint8);
}
}  // namespace
Operator dynamic_quantize_linear() {
  return Operator("ai.onnx", "DynamicQuantizeLinear")
      .summary("round(x / y_scale) + y_zero_point in uint8, where the range of x gives y_scale and y_zero_point")
      .version(11, version_11)
      .reading({.name = "dynamic_quantize_linear.scale",
                .alternatives = {"rounded: y and y_zero_point are of the float32 y_scale", "exact: of the exact one"},
                .defaults = {{11, "rounded"}},
                .reason = "published test_dynamicquantizelinear has -2.5 as 26 and 0.5 as 179",
                .may_change_values = always})
      .reading({.name = "dynamic_quantize_linear.zero_range",
                .alternatives = {"zero: of zeros y_scale is 0, so is y", "one: y_scale is 1",
                                 "one_of_255: y_scale is 1/255"},
                .defaults = {{11, "zero"}},
                .reason = "the formula gives 0/255; onnxruntime has 1, onnx.reference 1/255",
                .may_change_values = is_all_zero})
      .output_types(output_types)
      .kernel(kernel);
}
}  // namespace opref::ops::onnx::file_dynamic_quantize_linear
