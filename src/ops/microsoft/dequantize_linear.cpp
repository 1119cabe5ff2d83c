// SPDX-License-Identifier: Apache-2.0
// com.microsoft DequantizeLinear, version 1
// https://github.com/microsoft/onnxruntime/blob/main/docs/ContribOperators.md#com.microsoft.DequantizeLinear
#include "ops/operator_file.h"
#include "ops/shared/quantized.h"
namespace opref::ops::microsoft::file_dequantize_linear {
namespace {
std::vector<ValueType> output_types(const Call& call) {
  require_scale_per_axis(call, "x_scale", "x_zero_point");
  return onnx::dequantize_linear_types(call);
}

void version_1(OpSchema& s) {
  s.input("x", "T1").input("x_scale", "T2").input("x_zero_point", "T1", Arity::optional).output("y", "T2");
  s.types("T1", types::narrow | types::int4s | DType::int32).types("T2", types::floats - DType::float64);
  s.attribute(optional(INT, "axis"));
}
}  // namespace
// y = (x - x_zero_point)·x_scale, rounded once
Operator dequantize_linear() {
  return Operator("com.microsoft", "DequantizeLinear")
      .summary("(x - x_zero_point)·x_scale: what numbers of few bits stand for")
      .version(1, version_1)
      .output_types(output_types)
      .kernel(onnx::dequantize_linear_by);
}
}  // namespace opref::ops::microsoft::file_dequantize_linear
