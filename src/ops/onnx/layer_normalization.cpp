// SPDX-License-Identifier: Apache-2.0
// ai.onnx LayerNormalization, version 17
// https://onnx.ai/onnx/operators/onnx__LayerNormalization.html
#include "ops/operator_file.h"
#include "ops/shared/normalization.h"
namespace opref::ops::onnx::file_layer_normalization {
// Over the axes from `axis` on, of n elements: Mean = ΣX/n, InvStdDev = 1/√(Σ(X - Mean)²/n + epsilon),
// Y = (X - Mean)·InvStdDev·Scale + B; each from X, rounded once
Normalization layer_normalization_of(const Call& call) {
  const Slicing slices = Slicing::from(call.type("X").shape, call.axis("axis", call.type("X").rank()));
  const auto parameter = [&](std::string_view input) {
    return call.has(input) ? std::optional(slices.broadcast(call.input(input))) : std::nullopt;
  };
  return {.slices = slices,
          .X = slices.operand(call.input("X")),
          .epsilon = call.number("epsilon"),
          .scale = parameter("Scale"),
          .bias = parameter("B"),
          .others = {Holds::mean, Holds::inverse_deviation}};
}
namespace {
std::vector<ValueType> output_types(const Call& call) {
  const auto& [dtype, x] = call.type("X");
  const auto axis = call.axis("axis", x.size());
  for (const std::string_view input : {"Scale", "B"})
    if (call.has(input))
      require(call.type(input).rank() <= x.size() && broadcast(call.type(input).shape, x) == x,
              "{} has shape {}, which does not broadcast to that of X, {}", input, call.type(input).shape, x);
  const DType stash = floating_type_of(call, "stash_type");
  const bool has_type = stash == DType::float32 || stash == DType::bfloat16;
  require(has_type || !(call.wants("Mean") || call.wants("InvStdDev")),
          "attribute 'stash_type' is {}, but Mean and InvStdDev have 1, float32, or 16, bfloat16",
          call.integer("stash_type"));
  Dims statistics = x;
  for (size_t a = axis; a < x.size(); ++a) statistics[a] = 1;
  const DType type = has_type ? stash : DType::float32;
  return {TensorType{dtype, x}, TensorType{type, statistics}, TensorType{type, statistics}};
}

std::vector<Value> kernel(const Call& call, std::span<const Output> outs) {
  return normalized(outs, layer_normalization_of(call));
}

void version_17(OpSchema& s) {
  s.attribute(with_default("axis", -1))
      .attribute(with_default("epsilon", 1e-05F))
      .attribute(with_default("stash_type", 1, element_types()));
  s.input("X", "T").input("Scale", "T").input("B", "T", Arity::optional).output("Y", "T");
  s.output("Mean", "U", Arity::optional)
      .output("InvStdDev", "U", Arity::optional)
      .types("T", types::floats | DType::bfloat16)
      .types("U", {DType::bfloat16, DType::float32});
}
}  // namespace
Operator layer_normalization() {
  return Operator("ai.onnx", "LayerNormalization")
      .summary("(x - mean)/√(variance + epsilon)·Scale + B, mean and variance of the last axes")
      .version(17, version_17)
      .output_types(output_types)
      .kernel(kernel);
}
}  // namespace opref::ops::onnx::file_layer_normalization
