// SPDX-License-Identifier: Apache-2.0
// com.microsoft QLinearConv, version 1
// https://github.com/microsoft/onnxruntime/blob/main/docs/ContribOperators.md#com.microsoft.QLinearConv
#include "ops/operator_file.h"
#include "ops/shared/quantized_convolution.h"
#include "ops/shared/requantized.h"
namespace opref::ops::microsoft::file_q_linear_conv {
namespace {
// As of ai.onnx, but a scale and its zero point may differ in shape, and the channels be the last axis.
std::vector<ValueType> output_types(const Call& call) {
  const std::vector<ValueType> y = quantized_convolution_types(call);
  require_single_numbers(call, {"x_scale", "x_zero_point", "y_scale", "y_zero_point"});
  const std::int64_t M = call.type("w").shape[0];
  for (const char* parameter : {"w_scale", "w_zero_point"})
    if (call.type(parameter).shape != Dims{M}) require_single_numbers(call, {parameter});
  return y;
}

void version_1(OpSchema& s) {
  s.attribute(auto_pad_attribute()).attribute(with_default("channels_last", 0, flag()));
  quantized_convolution_version(s);
}
}  // namespace
Operator q_linear_conv() {
  return quantized_convolution_operator("com.microsoft", 1)
      .summary("the convolution of quantized numbers, quantized again, with the channels as second or last axis")
      .version(1, version_1)
      .output_types(output_types);
}
}  // namespace opref::ops::microsoft::file_q_linear_conv
