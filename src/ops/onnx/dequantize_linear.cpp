// SPDX-License-Identifier: Apache-2.0
// ai.onnx DequantizeLinear, versions 10, 13, 19, 21, 23, 24, 25, 28
// https://onnx.ai/onnx/operators/onnx__DequantizeLinear.html
#include "ops/operator_file.h"
#include "ops/shared/quantized.h"
namespace opref::ops::onnx::file_dequantize_linear {
namespace {
// y = (x - x_zero_point)·x_scale, rounded once: a difference of 33 bits times 24, of which to-odd loses nothing
struct Dequantized : RealFormula<3> {
  static constexpr bool one_operation = true, is_told = true;
  template <class R>
  OPREF_INLINE R operator()(const R& x, const R& scale, const R& zero_point) const {
    return product_to_odd(x - zero_point, scale);
  }
};

DType result_type(const Call& call) {
  if (const std::optional<DType> stated = stated_type(call, "output_dtype")) return *stated;
  const DType scale = call.type("x_scale").dtype;
  require(scale != DType::float8_e8m0fnu, "x_scale is {}, so attribute 'output_dtype' must say what y is", scale);
  return scale;
}

}  // namespace
std::vector<ValueType> dequantize_linear_types(const Call& call) {
  check_quantization(call, "x_scale", "x_zero_point");
  const DType y = result_type(call);
  require(call.schema().types_of(call.schema().outputs()[0]).contains(y),
          "attribute 'output_dtype' is {}, which is no type of y in {}", y, call.title());
  return {TensorType{y, call.type("x").shape}};
}

namespace {
// "There's no zero point for int32": each is 0.
void require_no_zero_point(const Tensor& zero_points) {
  const Elements elements(zero_points);
  for (std::int64_t i = 0; i < zero_points.count(); ++i) {
    if (elements.integer(i) == 0) continue;
    const Dims& shape = zero_points.shape();
    const std::string at = shape.empty() ? "" : to_text(coordinates(i, shape));
    fail(Fault::invalid, "x_zero_point{} is {}, but must be 0: x is int32", at, elements.integer(i));
  }
}

}  // namespace
std::vector<Value> dequantize_linear_by(const Call& call, std::span<const Output> outs) {
  if (call.has("x_zero_point") && call.type("x").dtype == DType::int32)
    require_no_zero_point(call.input("x_zero_point"));
  const std::array operands{Operand{call.input("x")}, per_element(call, "x_scale"), zero_points(call, "x_zero_point")};
  return {elementwise(outs[0], operands, Dequantized{})};
}
namespace {
void version_10(OpSchema& s) {
  s.input("x", "T").input("x_scale", "float32").input("x_zero_point", "T", Arity::optional).output("y", "float32");
  s.types("T", {DType::int32, DType::int8, DType::uint8});
}

void version_19(OpSchema& s) {
  s.anew();
  s.input("x", "T1").input("x_scale", "T2").input("x_zero_point", "T1", Arity::optional).output("y", "T2");
  s.types("T1", types::float8 | Types{DType::int32, DType::int8, DType::uint8});
  s.types("T2", {DType::bfloat16, DType::float16, DType::float32});
  s.attribute(with_default("axis", 1));
}

void version_21(OpSchema& s) {
  s.attribute(with_default("block_size", 0, at_least(0)));
  s.add_types("T1", types::int4s | Types{DType::int16, DType::uint16});
}

void version_23(OpSchema& s) {
  s.attribute(with_default("output_dtype", 0, element_types())).add_types("T1", DType::float4_e2m1fn);
  s.types("T3", s.types_of("T2")).change_parameter("y").type = "T3";
}
}  // namespace
Operator dequantize_linear() {
  return Operator("ai.onnx", "DequantizeLinear")
      .summary("(x - x_zero_point)·x_scale: what numbers of few bits stand for")
      .version(10, version_10)
      .version(13, [](OpSchema& s) { s.attribute(with_default("axis", 1)); })
      .version(19, version_19)
      .version(21, version_21)
      .version(23, version_23)
      .version(24, adds("T2", DType::float8_e8m0fnu))
      .version(25, adds("T1", types::int2s))
      .version(28, adds("T1", types::float6s))
      .readings(quantization_readings())
      .output_types(dequantize_linear_types)
      .kernel(dequantize_linear_by);
}
}  // namespace opref::ops::onnx::file_dequantize_linear
