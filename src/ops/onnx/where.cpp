// SPDX-License-Identifier: Apache-2.0
// ai.onnx Where, versions 9, 16
// https://onnx.ai/onnx/operators/onnx__Where.html
#include "ops/operator_file.h"
namespace opref::ops::onnx::file_where {
namespace {
std::vector<ValueType> output_types(const Call& call) {
  const auto& [dtype, x] = call.type("X");
  return {TensorType{dtype, broadcast(call.type("condition").shape, broadcast(x, call.type("Y").shape))}};
}

// output = X where condition is true, else Y: their bits
std::vector<Value> kernel(const Call& call, std::span<const Output> outs) {
  return {move_either(outs[0], call.input("condition"), call.input("X"), call.input("Y"))};
}

void version_9(OpSchema& s) {
  s.input("condition", "B", "where true X, else Y").input("X", "T").input("Y", "T").output("output", "T");
  s.types("B", DType::boolean).types("T", types::basic);
}
}  // namespace
Operator where() {
  return Operator("ai.onnx", "Where")
      .summary("elements of X or Y, by a condition")
      .version(9, version_9)
      .version(16, adds("T", DType::bfloat16))
      .output_types(output_types)
      .kernel(kernel);
}
}  // namespace opref::ops::onnx::file_where
