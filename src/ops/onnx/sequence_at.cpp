// SPDX-License-Identifier: Apache-2.0
// ai.onnx SequenceAt, version 11
// https://onnx.ai/onnx/operators/onnx__SequenceAt.html
#include "ops/operator_file.h"
#include "ops/shared/control_flow.h"
namespace opref::ops::onnx::file_sequence_at {
namespace {
// tensor = input_sequence[position]; negative positions count from the end
const Tensor& element(const Call& call) {
  const TensorList& elements = call.sequence("input_sequence").elements;
  const std::int64_t n = std::ssize(elements);
  return elements[static_cast<size_t>(position_of(call, n, -1, n - 1))];
}

// Tensors of a sequence have shapes of their own.
std::vector<ValueType> output_types(const Call& call) {
  require_scalar_position(call);
  const bool known = call.has_value("input_sequence") && call.has_value("position");
  if (known) return {element(call).type()};
  return {ValueType::of_unknown_shape(call.value_type("input_sequence").dtype())};
}

std::vector<Value> kernel(const Call& call, std::span<const Output>) { return {element(call)}; }

void version_11(OpSchema& s) {
  s.input("input_sequence", "S").input("position", "I").output("tensor", "T").types("S", sequences(types::basic));
  s.types("T", types::basic).types("I", types::signed_wide);
}
}  // namespace
Operator sequence_at() {
  return Operator("ai.onnx", "SequenceAt")
      .summary("the tensor at a position of a sequence")
      .version(11, version_11)
      .output_types(output_types)
      .kernel(kernel);
}
}  // namespace opref::ops::onnx::file_sequence_at
