// SPDX-License-Identifier: Apache-2.0
// ai.onnx QLinearConv, version 10
// https://onnx.ai/onnx/operators/onnx__QLinearConv.html
#include "ops/operator_file.h"
#include "ops/shared/quantized_convolution.h"
namespace opref::ops::onnx::file_q_linear_conv {
namespace {
std::vector<ValueType> output_types(const Call& call) {
  const std::vector<ValueType> y = quantized_convolution_types(call);
  require_scale_shapes(call, "x_scale", "x_zero_point");
  require_scale_shapes(call, "w_scale", "w_zero_point", call.type("w").shape[0]);
  require_scale_shapes(call, "y_scale", "y_zero_point");
  return y;
}

void version_10(OpSchema& s) {
  s.attribute(auto_pad_attribute());
  quantized_convolution_version(s);
}
}  // namespace
Operator q_linear_conv() {
  return quantized_convolution_operator("ai.onnx", 10)
      .summary("the convolution of quantized numbers, quantized again")
      .version(10, version_10)
      .output_types(output_types);
}
}  // namespace opref::ops::onnx::file_q_linear_conv
