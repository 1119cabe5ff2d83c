// SPDX-License-Identifier: Apache-2.0
// com.microsoft QuantizeLinear, version 1
// https://github.com/microsoft/onnxruntime/blob/main/docs/ContribOperators.md#com.microsoft.QuantizeLinear
#include "ops/operator_file.h"
#include "ops/shared/quantized.h"
namespace opref::ops::microsoft::file_quantize_linear {
namespace {
std::vector<ValueType> output_types(const Call& call) {
  require_scale_per_axis(call, "y_scale", "y_zero_point");
  return onnx::quantize_linear_types(call);
}

void version_1(OpSchema& s) {
  s.input("x", "T1").input("y_scale", "T1").input("y_zero_point", "T2", Arity::optional).output("y", "T2");
  s.types("T1", types::floats - DType::float64).types("T2", types::narrow | types::int4s);
  s.attribute(optional(INT, "axis"));
}
}  // namespace
// y = saturate(round(x/y_scale) + y_zero_point), the quotient a number of the scale's type
Operator quantize_linear() {
  return Operator("com.microsoft", "QuantizeLinear")
      .summary("round(x / y_scale) + y_zero_point, in a type of few bits")
      .version(1, version_1)
      .reading({.name = "quantize_linear.division",
                .alternatives = {"rounded: the quotient is a number of the scale's type", "exact: it is a number",
                                 "float32: it is a float32, of every scale"},
                .defaults = {{1, "rounded"}},
                .reason = "as ai.onnx has it; onnxruntime divides float16 in float32",
                .may_change_values = onnx::quantize_linear_divides})
      .reading(
          {.name = "quantize_linear.nan",
           .alternatives = {"zero_point: NaN is as 0", "zero: it becomes the integer 0", "minimum: the least integer"},
           .defaults = {{1, "zero_point"}},
           .reason = "NaN stands for no number; the zero point stands for 0; onnxruntime gives the least integer",
           .may_change_values = onnx::quantize_linear_has_nan})
      .output_types(output_types)
      .kernel(onnx::quantize_linear_by);
}
}  // namespace opref::ops::microsoft::file_quantize_linear
