// SPDX-License-Identifier: Apache-2.0
// ai.onnx SequenceConstruct, version 11
// https://onnx.ai/onnx/operators/onnx__SequenceConstruct.html
#include "ops/operator_file.h"
namespace opref::ops::onnx::file_sequence_construct {
namespace {
// output_sequence = [inputs[0], inputs[1], …]
std::vector<ValueType> output_types(const Call& call) {
  return {ValueType(Form::sequence, call.inputs("inputs").front().type.dtype())};
}

std::vector<Value> kernel(const Call& call, std::span<const Output> outs) {
  return {Sequence{outs[0].type().dtype, call.tensors()}};
}

void version_11(OpSchema& s) {
  s.input("inputs", "T", Arity::variadic).output("output_sequence", "S");
  s.types("T", types::basic).types("S", sequences(types::basic));
}
}  // namespace
Operator sequence_construct() {
  return Operator("ai.onnx", "SequenceConstruct")
      .summary("a sequence of tensors")
      .version(11, version_11)
      .output_types(output_types)
      .kernel(kernel);
}
}  // namespace opref::ops::onnx::file_sequence_construct
