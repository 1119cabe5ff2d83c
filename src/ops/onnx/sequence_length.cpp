// SPDX-License-Identifier: Apache-2.0
// ai.onnx SequenceLength, version 11
// https://onnx.ai/onnx/operators/onnx__SequenceLength.html
#include "ops/operator_file.h"
namespace opref::ops::onnx::file_sequence_length {
namespace {
// length = the number of tensors in input_sequence
std::vector<ValueType> output_types(const Call&) { return {{DType::int64, {}}}; }

std::vector<Value> kernel(const Call& call, std::span<const Output>) {
  const std::int64_t length = std::ssize(call.sequence("input_sequence").elements);
  return {Tensor::of<std::int64_t>(DType::int64, {}, std::array{length})};
}

void version_11(OpSchema& s) {
  s.input("input_sequence", "S").output("length", "I").types("S", sequences(types::basic)).types("I", DType::int64);
}
}  // namespace
Operator sequence_length() {
  return Operator("ai.onnx", "SequenceLength")
      .summary("how many tensors a sequence has")
      .version(11, version_11)
      .output_types(output_types)
      .kernel(kernel);
}
}  // namespace opref::ops::onnx::file_sequence_length
