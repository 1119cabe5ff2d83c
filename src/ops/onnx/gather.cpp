// SPDX-License-Identifier: Apache-2.0
// ai.onnx Gather, versions 1, 11, 13
// https://onnx.ai/onnx/operators/onnx__Gather.html
#include "ops/operator_file.h"
#include "ops/shared/indices.h"
namespace opref::ops::onnx::file_gather {
namespace {
std::vector<ValueType> output_types(const Call& call) {
  const auto& [dtype, data] = call.type("data");
  const auto axis = call.axis("axis", data.size());
  return {TensorType{dtype, join(join(data.first(axis), call.type("indices").shape), data.without_first(axis + 1))}};
}

// output[…, k…, …] = data[…, indices[k…], …], k along the axis
std::vector<Value> kernel(const Call& call, std::span<const Output> outs) {
  const auto axis = call.axis("axis", call.type("data").rank());
  return {moved_along(outs[0], call.input("data"), axis, indices_along(call, axis))};
}

void version_1(OpSchema& s) {
  s.input("data", "T").input("indices", "Tind").output("output", "T").types("T", types::basic);
  s.types("Tind", types::signed_wide).attribute(with_default("axis", 0));
}
}  // namespace
Operator gather() {
  return Operator("ai.onnx", "Gather")
      .summary("slices of the data, by their indices along an axis")
      .version(1, version_1)
      .version(11, words("indices may be negative: they then count from the end"))
      .version(13, adds("T", DType::bfloat16))
      .reading(negative_index_reading(1, 11))
      .output_types(output_types)
      .kernel(kernel);
}
}  // namespace opref::ops::onnx::file_gather
