// SPDX-License-Identifier: Apache-2.0
// ai.onnx Unsqueeze, versions 1, 11, 13, 21, 23, 24, 25
// https://onnx.ai/onnx/operators/onnx__Unsqueeze.html
#include "ops/operator_file.h"
namespace opref::ops::onnx::file_unsqueeze {
namespace {
// expanded has the shape of data with an axis of size 1 at each place that axes names, places of expanded.
std::vector<ValueType> output_types(const Call& call) {
  const auto& [dtype, data] = call.type("data");
  const size_t rank = Dims::filled(data.size() + list_of(call, "axes").size(), 1).size();
  const std::vector<size_t> axes = axes_of(call, rank);
  Dims shape;
  for (size_t axis = 0, own = 0; axis < rank; ++axis)
    shape.push_back(std::ranges::find(axes, axis) != axes.end() ? 1 : data[own++]);
  return {TensorType{dtype, shape}};
}

void version_1(OpSchema& s) {
  s.input("data", "T").output("expanded", "T").types("T", types::basic);
  s.attribute(required(INTS, "axes"));
}

void version_13(OpSchema& s) { s.becomes_input("axes", Arity::single).types("T", types::ir4); }
}  // namespace
Operator unsqueeze() {
  Operator op = Operator("ai.onnx", "Unsqueeze")
                    .summary("the same elements with further axes of size 1")
                    .version(1, version_1)
                    .version(11, words("axes may be negative: they then count from the last axis back"))
                    .version(13, version_13);
  return with_newer_types(std::move(op), "T")
      .reading(negative_axis_reading(1, 11))
      .reading(scalar_list_reading(13))
      .output_types(output_types)
      .kernel(in_other_shape);
}
}  // namespace opref::ops::onnx::file_unsqueeze
