// SPDX-License-Identifier: Apache-2.0
// openvino Unsqueeze, version 1 (opset1)
#include "ops/operator_file.h"
#include "ops/shared/openvino.h"
namespace opref::ops::openvino::file_unsqueeze {
namespace {
void list_axes(const Call& call, Restated& unsqueeze) {
  require(element_count(call.type("axes").shape) > 0, "axes is empty, but must name an axis");
  Input& axes = unsqueeze.inputs[1] = int64_list(call, "axes");
  if (!call.has_value("axes") || call.reads("unsqueeze.repeated", "refuse")) return;
  std::vector<std::int64_t> once;
  for (const std::int64_t axis : call.integers("axes"))
    if (std::ranges::find(once, axis) == once.end()) once.push_back(axis);
  axes.type.tensor.shape = Dims{std::ssize(once)};
  axes.value = Value(Tensor::of<std::int64_t>(DType::int64, axes.type.tensor.shape, once));
}
}  // namespace
Operator unsqueeze() {
  return Operator("openvino", "Unsqueeze")
      .summary("the same elements with further axes of size 1")
      .page("shape/unsqueeze-1")
      .category("category shape manipulation")
      .version(1,
               [](OpSchema& s) {
                 s.input("data", "T")
                     .input("axes", "T_INT")
                     .output("output0", "T")
                     .types("T", any_type)
                     .types("T_INT", types::integers);
               })
      .reading({.name = "unsqueeze.repeated",
                .alternatives = {"refuse: an axis that is named twice is invalid", "once: it counts once"},
                .defaults = {{1, "refuse"}},
                .reason = "the page: unique elements; both programs count it once"})
      .as("ai.onnx", "Unsqueeze", 25, {{"output0", "expanded"}})
      .restated(list_axes);
}
}  // namespace opref::ops::openvino::file_unsqueeze
