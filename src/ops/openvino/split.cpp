// SPDX-License-Identifier: Apache-2.0
// openvino Split, version 1 (opset1)
#include "ops/operator_file.h"
#include "ops/shared/openvino.h"
namespace opref::ops::openvino::file_split {
namespace {
void into_outputs(const Call& call, Restated&) {
  require_scalar(call, "axis");
  require(call.integer("num_splits") == static_cast<std::int64_t>(call.output_count()),
          "attribute 'num_splits' is {}, but the node has {}", call.integer("num_splits"),
          counted(call.output_count(), "output"));
}
}  // namespace
Operator split() {
  return Operator("openvino", "Split")
      .summary("parts of equal size along an axis")
      .page("movement/split-1")
      .category("category data movement")
      .version(1,
               [](OpSchema& s) {
                 s.attribute(required(INT, "num_splits", at_least(1)))
                     .input("data", "T")
                     .input("axis", "T_AXIS")
                     .output("out", "T", Arity::variadic)
                     .types("T", any_type)
                     .types("T_AXIS", types::integers);
               })
      .outputs_counted_by({.attribute = "num_splits"})
      .as("ai.onnx", "Split", 13, {{"data", "input"}, {"out", "outputs"}, {"num_splits", ""}})
      .restated(into_outputs);
}
}  // namespace opref::ops::openvino::file_split
