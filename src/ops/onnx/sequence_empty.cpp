// SPDX-License-Identifier: Apache-2.0
// ai.onnx SequenceEmpty, version 11
// https://onnx.ai/onnx/operators/onnx__SequenceEmpty.html
#include <algorithm>

#include "core/error.h"
#include "schema/operator.h"

namespace opref::ops::onnx {
namespace {

// output = [], whose elements would be of type dtype; float32 where it is absent
std::vector<ValueType> output_types(const Call& call) {
  const std::int64_t number = call.has("dtype") ? call.integer("dtype") : static_cast<int>(DType::float32);
  std::vector<DType> known = call.schema().types_of("S").dtypes(Form::sequence);
  std::ranges::sort(known);  // by their numbers
  std::vector<std::string> texts;
  for (const DType dtype : known) {
    if (static_cast<std::int64_t>(dtype) == number) return {ValueType(Form::sequence, dtype)};
    texts.push_back(format("{} ({})", static_cast<int>(dtype), dtype));
  }
  fail(Fault::invalid, "attribute 'dtype' is {}, but must be {}", number, join_text(texts, ", "));
}

std::vector<Value> kernel(const Call&, std::span<const Output> outs) { return {Sequence{outs[0].type().dtype, {}}}; }

void version_11(OpSchema& s) {
  s.output("output", "S").types("S", sequences(types::basic));
  s.attribute(optional(INT, "dtype"));
}

}  // namespace

Operator sequence_empty() {
  return Operator("ai.onnx", "SequenceEmpty")
      .summary("a sequence without elements")
      .version(11, version_11)
      .output_types(output_types)
      .kernel(kernel);
}

}  // namespace opref::ops::onnx
