// SPDX-License-Identifier: Apache-2.0
// ai.onnx Where, versions 9, 16
// https://onnx.ai/onnx/operators/onnx__Where.html
#include "ops/operator_file.h"
namespace opref::ops::onnx {
namespace {
std::vector<ValueType> output_types(const Call& call) {
  const auto& [dtype, x] = call.type("X");
  return {TensorType{dtype, broadcast(call.type("condition").shape, broadcast(x, call.type("Y").shape))}};
}

// output = X where condition is true, else Y: their bits
std::vector<Value> kernel(const Call& call, std::span<const Output> outs) {
  const Dims& output = outs[0].type().shape;
  const auto places = [&](std::string_view input) { return broadcast_places(call.type(input).shape, output); };
  const Strided c = places("condition"), x = places("X"), y = places("Y");
  const auto condition = call.input("condition").values<std::uint8_t>();
  return {move(outs[0], std::array{call.input("X"), call.input("Y")}, [&](std::int64_t i) {
    const bool is_x = condition[static_cast<size_t>(c(i))] != 0;
    return Run{(is_x ? x : y)(i), 1, 1, is_x ? 0 : 1};
  })};
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
}  // namespace opref::ops::onnx
