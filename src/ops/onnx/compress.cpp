// SPDX-License-Identifier: Apache-2.0
// ai.onnx Compress, versions 9, 11, 28
// https://onnx.ai/onnx/operators/onnx__Compress.html
#include "ops/operator_file.h"
namespace opref::ops::onnx::file_compress {
namespace {
/// input, and the axis along which it is selected from; flattened where the node names none.
std::pair<Dims, size_t> selected_from(const Call& call) {
  const Dims& input = call.type("input").shape;
  require(!input.empty(), "input is a scalar, but must have an axis");
  if (!call.has("axis")) return {Dims{element_count(input)}, 0};
  return {input, axis_of(call, input.size())};
}

/// The coordinates along the axis whose condition is true.
std::vector<std::int64_t> kept(const Call& call, std::int64_t size) {
  const auto condition = call.input("condition").values<std::uint8_t>();
  const std::int64_t length = std::ssize(condition);
  require(length <= size || call.reads("compress.long_condition", "ignore"),
          "condition has {}, but the axis has size {}; the reading compress.long_condition=ignore takes the first",
          counted(length, "element"), size);
  std::vector<std::int64_t> kept;
  for (std::int64_t k = 0; k < std::min(length, size); ++k)
    if (condition[static_cast<size_t>(k)] != 0) kept.push_back(k);
  return kept;
}

std::vector<ValueType> output_types(const Call& call) {
  auto [shape, axis] = selected_from(call);
  const DType dtype = call.type("input").dtype;
  const Dims& condition = call.type("condition").shape;
  require(condition.size() == 1, "condition has shape {}, but must be a list", condition);
  if (!call.has_value("condition")) return {ValueType::of_unknown_shape(dtype)};
  shape[axis] = std::ssize(kept(call, shape[axis]));
  return {TensorType{dtype, shape}};
}

// output[…, k, …] = input[…, the k-th place where condition is true, …]
std::vector<Value> kernel(const Call& call, std::span<const Output> outs) {
  const auto [shape, axis] = selected_from(call);
  return {moved_along(outs[0], call.input("input").reshaped(shape), axis, kept(call, shape[axis]))};
}

void version_9(OpSchema& s) {
  s.input("input", "T").input("condition", "T1").output("output", "T").types("T", types::basic);
  s.types("T1", DType::boolean).attribute(optional(INT, "axis")).shape_inference(ShapeInference::none);
}
}  // namespace
Operator compress() {
  return Operator("ai.onnx", "Compress")
      .summary("the slices along an axis for which a condition is true")
      .version(9, version_9)
      .version(11,
               [](OpSchema& s) {
                 s.wording("axis may be negative: it then counts from the last axis back")
                     .shape_inference(ShapeInference::onnx);
               })
      .version(28, adds("T", DType::bfloat16))
      .reading(negative_axis_reading(9, 11))
      .reading({.name = "compress.long_condition",
                .alternatives = {"invalid: a condition longer than the axis is invalid",
                                 "ignore: what is beyond the axis says nothing"},
                .defaults = {{9, "invalid"}},
                .reason = "\"behaves like numpy.compress\", which refuses it; onnxruntime ignores the rest"})
      .output_types(output_types)
      .kernel(kernel);
}
}  // namespace opref::ops::onnx::file_compress
