// SPDX-License-Identifier: Apache-2.0
// ai.onnx Squeeze, versions 1, 11, 13, 21, 23, 24, 25
// https://onnx.ai/onnx/operators/onnx__Squeeze.html
#include "ops/operator_file.h"
namespace opref::ops::onnx::file_squeeze {
namespace {
/// "If `axes` is not provided, all the single dimensions will be removed from the shape."
bool squeezes_all(const Call& call) {
  return !call.has("axes") || (call.reads("squeeze.empty_axes", "all") && list_of(call, "axes").empty());
}

// squeezed has the shape of data without the axes that are named; each of them has size 1.
std::vector<ValueType> output_types(const Call& call) {
  const auto& [dtype, data] = call.type("data");
  const bool all = squeezes_all(call);
  std::vector<bool> is_named(data.size(), false);
  if (!all)
    for (const size_t axis : axes_of(call, data.size(), Twice::once)) {
      require(data[axis] == 1, "axes names axis {} of data {}, but only an axis of size 1 can be removed", axis, data);
      is_named[axis] = true;
    }
  Dims shape;
  for (size_t axis = 0; axis < data.size(); ++axis)
    if (all ? data[axis] != 1 : !is_named[axis]) shape.push_back(data[axis]);
  return {TensorType{dtype, shape}};
}

void version_1(OpSchema& s) {
  s.input("data", "T").output("squeezed", "T").types("T", types::basic);
  s.attribute(optional(INTS, "axes"));
}
}  // namespace
Operator squeeze() {
  Operator op = Operator("ai.onnx", "Squeeze")
                    .summary("the same elements without some axes of size 1")
                    .version(1, version_1)
                    .version(11, words("axes may be negative: they then count from the last axis back"))
                    .version(13, [](OpSchema& s) { s.becomes_input("axes").types("T", types::ir4); });
  return with_newer_types(std::move(op), "T")
      .reading(negative_axis_reading(1, 11))
      .reading(scalar_list_reading(13))
      .reading({.name = "squeeze.empty_axes",
                .alternatives = {"literal: an empty list names no axis", "all: it names every axis of size 1"},
                .defaults = {{1, "literal"}},
                .reason = "ONNX's inference and reference take it literally, onnxruntime as if there were none"})
      .output_types(output_types)
      .kernel(in_other_shape);
}
}  // namespace opref::ops::onnx::file_squeeze
