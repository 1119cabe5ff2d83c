// SPDX-License-Identifier: Apache-2.0
// ai.onnx Expand, versions 8, 13
// https://onnx.ai/onnx/operators/onnx__Expand.html
#include "ops/operator_file.h"
namespace opref::ops::onnx::file_expand {
namespace {
// The shape to which input and shape broadcast both: it may be greater than shape.
std::vector<ValueType> output_types(const Call& call) {
  const auto& [dtype, input] = call.type("input");
  return {TensorType{dtype, broadcast(input, sizes_of(call, "shape"))}};
}

// output[i] = input[i], or input[0] along the axes of size 1
std::vector<Value> kernel(const Call& call, std::span<const Output> outs) {
  const Tensor& input = call.input("input");
  return {move(outs[0], input, broadcast_places(input.shape(), outs[0].type().shape))};
}

void version_8(OpSchema& s) {
  s.input("input", "T").input("shape", "int64").output("output", "T").types("T", types::basic);
}
}  // namespace
Operator expand() {
  return Operator("ai.onnx", "Expand")
      .summary("the input repeated along axes of size 1, by NumPy's broadcasting")
      .version(8, version_8)
      .version(13, adds("T", DType::bfloat16))
      .output_types(output_types)
      .kernel(kernel);
}
}  // namespace opref::ops::onnx::file_expand
