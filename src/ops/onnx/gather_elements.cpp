// SPDX-License-Identifier: Apache-2.0
// ai.onnx GatherElements, versions 11, 13
// https://onnx.ai/onnx/operators/onnx__GatherElements.html
#include "ops/operator_file.h"
#include "ops/shared/indices.h"
namespace opref::ops::onnx::file_gather_elements {
namespace {
std::vector<ValueType> output_types(const Call& call) {
  elements_axis(call);
  return {TensorType{call.type("data").dtype, call.type("indices").shape}};
}

// output[i, j, …] = data[i, indices[i, j, …], …], the index along the axis
std::vector<Value> kernel(const Call& call, std::span<const Output> outs) {
  return {move(outs[0], call.input("data"), elements_places(call))};
}

void version_11(OpSchema& s) {
  s.input("data", "T").input("indices", "Tind").output("output", "T").types("T", types::basic);
  s.types("Tind", types::signed_wide).attribute(with_default("axis", 0));
}
}  // namespace
Operator gather_elements() {
  return Operator("ai.onnx", "GatherElements")
      .summary("for each index, the element of the data that it picks along an axis")
      .version(11, version_11)
      .version(13, adds("T", DType::bfloat16))
      .output_types(output_types)
      .kernel(kernel);
}
}  // namespace opref::ops::onnx::file_gather_elements
