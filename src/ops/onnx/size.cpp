// SPDX-License-Identifier: Apache-2.0
// ai.onnx Size, versions 1, 13, 19, 21, 23, 24, 25
// https://onnx.ai/onnx/operators/onnx__Size.html
#include "ops/operator_file.h"
namespace opref::ops::onnx::file_size {
namespace {
// size = the number of elements of data, a scalar
std::vector<ValueType> output_types(const Call&) { return {TensorType{DType::int64, {}}}; }

std::vector<Value> kernel(const Call& call, std::span<const Output> outs) {
  const std::array count{element_count(call.type("data").shape)};
  return {Tensor::of<std::int64_t>(DType::int64, outs[0].type().shape, count)};
}

void version_1(OpSchema& s) {
  s.input("data", "T").output("size", "T1").types("T", types::basic).types("T1", DType::int64);
}
}  // namespace
Operator size() {
  Operator op = Operator("ai.onnx", "Size")
                    .summary("the number of a tensor's elements")
                    .version(1, version_1)
                    .version(13, allows("T", types::ir4))
                    .version(19, allows("T", types::ir9));
  return with_newer_types(std::move(op), "T").output_types(output_types).kernel(kernel).needs_types_alone();
}
}  // namespace opref::ops::onnx::file_size
