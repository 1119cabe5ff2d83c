// SPDX-License-Identifier: Apache-2.0
// ai.onnx GatherND, versions 11, 12, 13
// https://onnx.ai/onnx/operators/onnx__GatherND.html
#include "ops/operator_file.h"
#include "ops/shared/indices.h"
namespace opref::ops::onnx::file_gather_nd {
namespace {
NamedSlices slices_of(const Call& call) {
  const Dims &data = call.type("data").shape, &indices = call.type("indices").shape;
  const std::int64_t b = call.has("batch_dims") ? call.integer("batch_dims") : 0;
  require(b >= 0 && b < std::min(std::ssize(data), std::ssize(indices)),
          "batch_dims is {}, but must be less than the ranks of data {} and indices {}", b, data, indices);
  const NamedSlices slices = named_slices(call, static_cast<size_t>(b));
  require(slices.depth >= 1, "indices has shape {}, but its last axis must name a place", indices);
  require(data.first(slices.batch) == indices.first(slices.batch),
          "indices has shape {}, but data has shape {}: the first {} must agree", indices, data,
          b == 1 ? "axis" : format("{} axes", b));
  return slices;
}

std::vector<ValueType> output_types(const Call& call) {
  const auto& [dtype, data] = call.type("data");
  const Dims& indices = call.type("indices").shape;
  const NamedSlices slices = slices_of(call);
  return {TensorType{dtype, join(indices.first(indices.size() - 1), data.without_first(slices.batch + slices.depth))}};
}

// output[b…, i…, …] = data[b…, indices[b…, i…]…, …]
std::vector<Value> kernel(const Call& call, std::span<const Output> outs) {
  return {move(outs[0], call.input("data"), slices_of(call).places(call))};
}

void version_11(OpSchema& s) {
  s.input("data", "T").input("indices", "int64").output("output", "T").types("T", types::basic);
}
}  // namespace
Operator gather_nd() {
  return Operator("ai.onnx", "GatherND")
      .summary("slices of the data, by the places that the last axis of the indices names")
      .version(11, version_11)
      .version(12, [](OpSchema& s) { s.attribute(with_default("batch_dims", 0)); })
      .version(13, adds("T", DType::bfloat16))
      .output_types(output_types)
      .kernel(kernel);
}
}  // namespace opref::ops::onnx::file_gather_nd
