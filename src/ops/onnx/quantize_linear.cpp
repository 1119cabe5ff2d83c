// SPDX-License-Identifier: Apache-2.0
// ai.onnx QuantizeLinear, versions 10, 13, 19, 21, 23, 24, 25, 28
// https://onnx.ai/onnx/operators/onnx__QuantizeLinear.html
#include "ops/operator_file.h"
#include "ops/shared/quantized.h"
namespace opref::ops::onnx::file_quantize_linear {
namespace {
// x/y_scale, rounded to `precision`
struct Quotient {
  std::optional<DType> precision;
  Named named;
  template <class R>
  OPREF_INLINE R operator()(const R& x, const R& scale) const {
    return rounded_to(quotient_to_odd(x, scale), precision);
  }
  /// What `explain` tells.
  Interval operator()(const Interval& x, const Interval& scale) const {
    return named_quotient(named, "x / y_scale", x, scale, precision);
  }
};

// y = saturate(round(x/y_scale) + y_zero_point)
struct Quantized : RealFormula<3> {
  static constexpr bool one_operation = true, is_told = true;
  Quotient quotient;
  bool nan_is_zero_point;
  template <class R>
  OPREF_INLINE R operator()(const R& x, const R& scale, const R& zero_point) const {
    const R whole = round(quotient(x, scale));
    return (nan_is_zero_point ? nan_as_zero(whole) : whole) + zero_point;
  }
  Interval operator()(const Interval& x, const Interval& scale, const Interval& zero_point) const {
    const Interval whole = named_integer(quotient.named, quotient(x, scale));
    return (nan_is_zero_point && whole.is_nan() ? Interval(0.0) : whole) + zero_point;
  }
};

// y = x/y_scale + y_zero_point of small floats, rounded once
struct QuantizedToFloat : RealFormula<3> {
  static constexpr bool one_operation = true, is_told = true;
  Quotient quotient;
  template <class R>
  OPREF_INLINE R operator()(const R& x, const R& scale, const R& zero_point) const {
    return sum_to_odd(quotient(x, scale), zero_point);
  }
  Interval operator()(const Interval& x, const Interval& scale, const Interval& zero_point) const {
    return quotient(x, scale) + zero_point;
  }
};

DType result_type(const Call& call) {
  const std::optional<DType> stated = stated_type(call, "output_dtype");
  const DType y = call.has("y_zero_point") ? call.type("y_zero_point").dtype : stated.value_or(DType::uint8);
  require(!stated || *stated == y, "attribute 'output_dtype' is {}, but y_zero_point is {}", stated.value_or(y), y);
  const Types allowed = call.schema().types_of(call.schema().outputs()[0]);
  require(allowed.contains(y), "attribute 'output_dtype' is {}, which is no type of y in {}", y, call.title());
  return y;
}

/// What the quotient is rounded to: `precision`, by default the scale's type; nothing of integers and powers of two.
std::optional<DType> precision(const Call& call) {
  const DType scale = call.type("y_scale").dtype, stated = stated_type(call, "precision").value_or(scale);
  require(stated == scale || (is_floating(stated) && info(stated).bits > 8),
          "attribute 'precision' is {}, but must be float16, bfloat16, float32 or float64", stated);
  return is_floating(stated) && info(stated).bits > 8 ? std::optional(stated) : std::nullopt;
}

/// What the reading rounds the quotient to.
std::optional<DType> quotient_type(const Call& call) {
  const std::string_view division = call.reading("quantize_linear.division");
  if (division == "rounded") return precision(call);
  return division == "float32" ? std::optional(DType::float32) : std::nullopt;
}
}  // namespace
std::vector<ValueType> quantize_linear_types(const Call& call) {
  check_quantization(call, "y_scale", "y_zero_point");
  precision(call);
  return {TensorType{result_type(call), call.type("x").shape}};
}

std::vector<Value> quantize_linear_by(const Call& call, std::span<const Output> outs) {
  Conversion how = conversion_of(call);
  how.beyond = Conversion::Beyond::saturate;
  const std::string_view nan = call.reading("quantize_linear.nan");
  how.nan_is_least = nan == "minimum";
  const std::array operands{Operand{call.input("x")}, per_element(call, "y_scale"), zero_points(call, "y_zero_point")};
  const Quotient quotient{quotient_type(call), Named(outs[0])};
  if (is_floating(result_type(call))) return {elementwise(outs[0], operands, QuantizedToFloat{{}, quotient}, how)};
  return {elementwise(outs[0], operands, Quantized{{}, quotient, nan == "zero_point"}, how)};
}
bool quantize_linear_divides(const Call& call) { return precision(call).has_value(); }
bool quantize_linear_has_nan(const Call& call) {
  return is_floating(call.type("x").dtype) && !is_floating(result_type(call));
}
namespace {

void version_10(OpSchema& s) {
  s.input("x", "T1").input("y_scale", "float32").input("y_zero_point", "T2", Arity::optional).output("y", "T2");
  s.types("T1", {DType::float32, DType::int32}).types("T2", {DType::int8, DType::uint8});
}

void version_19(OpSchema& s) {
  s.attribute(with_default("saturate", 1, flag())).add_types("T1", {DType::bfloat16, DType::float16});
  s.add_types("T2", types::float8).change_parameter("y_scale").type = "T1";
}

void version_21(OpSchema& s) {
  s.attribute(with_default("block_size", 0, at_least(0))).attribute(with_default("output_dtype", 0, element_types()));
  s.add_types("T2", types::int4s | Types{DType::int16, DType::uint16});
}

void version_23(OpSchema& s) {
  s.attribute(with_default("precision", 0, element_types()));
  s.types("T3", s.types_of("T2") | DType::float4_e2m1fn);
  s.types("T2", {DType::bfloat16, DType::float16, DType::float32, DType::int32});
  s.change_parameter("y_scale").type = "T2";
  s.change_parameter("y_zero_point").type = s.change_parameter("y").type = "T3";
}
}  // namespace
Operator quantize_linear() {
  return Operator("ai.onnx", "QuantizeLinear")
      .summary("round(x / y_scale) + y_zero_point, in a type of few bits")
      .version(10, version_10)
      .version(13, [](OpSchema& s) { s.attribute(with_default("axis", 1)); })
      .version(19, version_19)
      .version(21, version_21)
      .version(23, version_23)
      .version(24, adds("T2", DType::float8_e8m0fnu))
      .version(25, adds("T3", types::int2s))
      .version(28, adds("T3", types::float6s))
      .reading({.name = "quantize_linear.division",
                .alternatives = {"rounded: the quotient is a number of the scale's type, or of precision",
                                 "exact: it is a number"},
                .defaults = {{10, "rounded"}},
                .reason = "the text of 23: precision \"determines the precision of the division\"; published "
                          "test_dynamicquantizelinear",
                .may_change_values = quantize_linear_divides})
      .reading({.name = "quantize_linear.nan",
                .alternatives = {"zero: NaN becomes 0", "minimum: the least integer"},
                .defaults = {{10, "zero"}},
                .reason = "as Cast takes NaN to integers; x86 gives the least",
                .may_change_values = quantize_linear_has_nan})
      .readings(quantization_readings())
      .output_types(quantize_linear_types)
      .kernel(quantize_linear_by);
}
}  // namespace opref::ops::onnx::file_quantize_linear
