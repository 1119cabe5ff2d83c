// SPDX-License-Identifier: Apache-2.0
// ai.onnx StringConcat, version 20
// https://onnx.ai/onnx/operators/onnx__StringConcat.html
#include "ops/operator_file.h"
namespace opref::ops::onnx::file_string_concat {
namespace {
// Z = X followed by Y, element by element with NumPy's broadcasting: the bytes, whatever they mean
std::vector<ValueType> output_types(const Call& call) {
  return {TensorType{DType::string, broadcast(call.type("X").shape, call.type("Y").shape)}};
}

std::vector<Value> kernel(const Call& call, std::span<const Output> outs) {
  const Dims& shape = outs[0].type().shape;
  const Tensor &X = call.input("X"), &Y = call.input("Y");
  const Strided x = broadcast_places(X.shape(), shape), y = broadcast_places(Y.shape(), shape);
  std::vector<std::string> Z;
  for (std::int64_t i = 0; i < element_count(shape); ++i)
    Z.push_back(X.strings()[static_cast<size_t>(x(i))] + Y.strings()[static_cast<size_t>(y(i))]);
  return {Tensor(shape, std::move(Z))};
}

void version_20(OpSchema& s) { s.input("X", "T").input("Y", "T").output("Z", "T").types("T", DType::string); }
}  // namespace
Operator string_concat() {
  return Operator("ai.onnx", "StringConcat")
      .summary("each string followed by another one")
      .version(20, version_20)
      .output_types(output_types)
      .kernel(kernel);
}
}  // namespace opref::ops::onnx::file_string_concat
