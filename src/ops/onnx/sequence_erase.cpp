// SPDX-License-Identifier: Apache-2.0
// ai.onnx SequenceErase, version 11
// https://onnx.ai/onnx/operators/onnx__SequenceErase.html
#include "ops/operator_file.h"
#include "ops/shared/control_flow.h"
namespace opref::ops::onnx::file_sequence_erase {
namespace {
// output_sequence = input_sequence without its element at position, by default the last; negative ones count from the
// end
std::vector<ValueType> output_types(const Call& call) {
  require_scalar_position(call);
  return {call.value_type("input_sequence")};
}

std::vector<Value> kernel(const Call& call, std::span<const Output>) {
  Sequence sequence = call.sequence("input_sequence");
  const std::int64_t n = std::ssize(sequence.elements);
  sequence.elements.erase(static_cast<size_t>(position_of(call, n, -1, n - 1)));
  return {std::move(sequence)};
}

void version_11(OpSchema& s) {
  s.input("input_sequence", "S").input("position", "I", Arity::optional).output("output_sequence", "S");
  s.types("S", sequences(types::basic)).types("I", types::signed_wide);
}
}  // namespace
Operator sequence_erase() {
  return Operator("ai.onnx", "SequenceErase")
      .summary("a sequence without one of its tensors")
      .version(11, version_11)
      .output_types(output_types)
      .kernel(kernel);
}
}  // namespace opref::ops::onnx::file_sequence_erase
