// SPDX-License-Identifier: Apache-2.0
// ai.onnx SequenceInsert, version 11
// https://onnx.ai/onnx/operators/onnx__SequenceInsert.html
#include "ops/operator_file.h"
#include "ops/shared/control_flow.h"
namespace opref::ops::onnx::file_sequence_insert {
namespace {
// output_sequence = input_sequence with tensor before the element at position, by default behind the last; negative
// positions count from the end: -1 is before the last
std::vector<ValueType> output_types(const Call& call) {
  const ValueType& sequence = call.value_type("input_sequence");
  const DType dtype = call.value_type("tensor").dtype();
  require(dtype == sequence.dtype(), "tensor has type {}, but input_sequence is one of {}", dtype, sequence.dtype());
  require_scalar_position(call);
  return {sequence};
}

std::vector<Value> kernel(const Call& call, std::span<const Output>) {
  Sequence sequence = call.sequence("input_sequence");
  const std::int64_t n = std::ssize(sequence.elements);
  sequence.elements.insert(static_cast<size_t>(position_of(call, n, n, n)), call.input("tensor"));
  return {std::move(sequence)};
}

void version_11(OpSchema& s) {
  s.input("input_sequence", "S").input("tensor", "T").input("position", "I", Arity::optional);
  s.output("output_sequence", "S").types("T", types::basic).types("S", sequences(types::basic));
  s.types("I", types::signed_wide);
}
}  // namespace
Operator sequence_insert() {
  return Operator("ai.onnx", "SequenceInsert")
      .summary("a sequence with one tensor more")
      .version(11, version_11)
      .output_types(output_types)
      .kernel(kernel);
}
}  // namespace opref::ops::onnx::file_sequence_insert
