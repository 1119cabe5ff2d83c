// SPDX-License-Identifier: Apache-2.0
// openvino SoftMax, versions 1 (opset1), 8 (opset8)
#include "ops/operator_file.h"
namespace opref::ops::openvino::file_soft_max {
namespace {
// The page and read_model give an axis that version 1 leaves out another default.
void with_axis(const Call& call, Restated& softmax) {
  if (!call.stated("axis") && call.reads("softmax.default", "page"))
    softmax.set("axis", AttributeValue::of(std::int64_t{1}));
}
}  // namespace
Operator soft_max() {
  return Operator("openvino", "SoftMax")
      .summary("e^x of each element, divided by the sum of them along an axis")
      .page("activation/softmax-8")
      .category("category activation function")
      .version(1,
               [](OpSchema& s) {
                 s.attribute(with_default("axis", 0, at_least(0))).input("arg", "T").output("output0", "T");
                 s.types("T", types::floats | DType::bfloat16);
               })
      .version(8, [](OpSchema& s) { s.change("axis") = with_default("axis", 1); })
      .reading({.name = "softmax.default",
                .alternatives = {"read_model: without an axis it is 0", "page: it is 1"},
                .defaults = {{1, "read_model"}, {8, ""}},
                .reason = "the page says 1, but OpenVINO's files are read by read_model, which takes 0",
                .may_change_values = [](const Call& call) { return !call.stated("axis"); }})
      .as("ai.onnx", "Softmax", 13, {{"arg", "input"}, {"output0", "output"}})
      .restated(with_axis);
}
}  // namespace opref::ops::openvino::file_soft_max
