// SPDX-License-Identifier: Apache-2.0
// ai.onnx InstanceNormalization, versions 1, 6, 22
// https://onnx.ai/onnx/operators/onnx__InstanceNormalization.html
#include "ops/operator_file.h"
#include "ops/shared/normalization.h"
namespace opref::ops::onnx::file_instance_normalization {
namespace {
std::vector<ValueType> output_types(const Call& call) {
  const TensorType& input = call.type("input");
  require(input.rank() >= 3, "input has shape {}, but must have at least 3 axes: (N, C, D1, …)", input.shape);
  require(call.version() > 1 || input.rank() == 4, "input has shape {}, but must have 4 axes: (N, C, H, W)",
          input.shape);
  require_parameters(call, {"scale", "B"}, {input.shape[1]});
  return {input};
}

// output = scale·(input - mean) / √(variance + epsilon) + B, mean and variance being those of each channel of each
// instance
std::vector<Value> kernel(const Call& call, std::span<const Output> outs) {
  return normalized(outs, normalization_of_channels(call));
}

void version_1(OpSchema& s) {
  s.attribute(with_default("epsilon", 1e-05F));
  s.input("input", "T").input("scale", "T").input("B", "T").output("output", "T").types("T", types::floats);
  with_consumed_inputs(s);
}
}  // namespace
Operator instance_normalization() {
  return Operator("ai.onnx", "InstanceNormalization")
      .summary("(x - mean)/√(variance + epsilon)·scale + B, of each channel of each instance")
      .version(1, version_1)
      .version(6, without_consumed_inputs)
      .version(22, adds("T", DType::bfloat16))
      .output_types(output_types)
      .kernel(kernel);
}
}  // namespace opref::ops::onnx::file_instance_normalization
