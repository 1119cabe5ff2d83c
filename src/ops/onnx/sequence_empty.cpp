// SPDX-License-Identifier: Apache-2.0
// ai.onnx SequenceEmpty, version 11
// https://onnx.ai/onnx/operators/onnx__SequenceEmpty.html
#include "ops/operator_file.h"
namespace opref::ops::onnx::file_sequence_empty {
namespace {
// output = [], whose elements would be of type dtype; float32 where it is absent
std::vector<ValueType> output_types(const Call& call) {
  return {ValueType(Form::sequence, call.has("dtype") ? dtype_of_number(call, "dtype", types::basic) : DType::float32)};
}

std::vector<Value> kernel(const Call&, std::span<const Output> outs) { return {Sequence{outs[0].type().dtype, {}}}; }

void version_11(OpSchema& s) {
  s.output("output", "S").types("S", sequences(types::basic));
  s.attribute(optional(INT, "dtype", element_types()));
}
}  // namespace
Operator sequence_empty() {
  return Operator("ai.onnx", "SequenceEmpty")
      .summary("a sequence without elements")
      .version(11, version_11)
      .output_types(output_types)
      .kernel(kernel);
}
}  // namespace opref::ops::onnx::file_sequence_empty
