// SPDX-License-Identifier: Apache-2.0
// ai.onnx GroupNormalization, versions 18, 21
// https://onnx.ai/onnx/operators/onnx__GroupNormalization.html
#include "ops/operator_file.h"
#include "ops/shared/normalization.h"
namespace opref::ops::onnx::file_group_normalization {
namespace {
std::vector<ValueType> output_types(const Call& call) {
  const TensorType& x = call.type("X");
  const std::int64_t groups = call.integer("num_groups");
  require(x.rank() >= 2, "{} has shape {}, but must have at least 2 axes: (N, C, D1, …)", call.name("X"), x.shape);
  require(x.shape[1] % groups == 0, "attribute 'num_groups' is {}, which does not divide the {} channels of {}", groups,
          x.shape[1], call.name("X"));
  require_parameters(call, {"scale", "bias"}, {call.version() < 21 ? groups : x.shape[1]});
  if (call.has("stash_type")) floating_type_of(call, "stash_type");
  return {x};
}

// Y = scale·(X - mean) / √(variance + epsilon) + bias, mean and variance being those of each group of channels of each
// instance
std::vector<Value> kernel(const Call& call, std::span<const Output> outs) {
  return normalized(outs, normalization_of_channels(call));
}

void version_18(OpSchema& s) {
  s.attribute(with_default("epsilon", 1e-05F)).attribute(required(INT, "num_groups", at_least(1)));
  s.input("X", "T")
      .input("scale", "T", "one number per group")
      .input("bias", "T", "one number per group")
      .output("Y", "T")
      .types("T", types::floats | DType::bfloat16)
      .shape_inference(ShapeInference::none)
      .deprecate();
}

void version_21(OpSchema& s) {
  s.attribute(with_default("stash_type", 1, element_types())).wording("scale and bias have one number per channel");
  s.change_parameter("scale").meaning = s.change_parameter("bias").meaning = "one number per channel";
}
}  // namespace
Operator group_normalization() {
  return Operator("ai.onnx", "GroupNormalization")
      .summary("(x - mean)/√(variance + epsilon)·scale + bias, of each group of channels of each instance")
      .version(18, version_18)
      .version(21, version_21)
      .output_types(output_types)
      .kernel(kernel);
}
}  // namespace opref::ops::onnx::file_group_normalization
