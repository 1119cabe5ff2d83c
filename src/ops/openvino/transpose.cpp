// SPDX-License-Identifier: Apache-2.0
// openvino Transpose, version 1 (opset1)
#include "ops/operator_file.h"
#include "ops/shared/openvino.h"
namespace opref::ops::openvino::file_transpose {
namespace {
// An empty order reverses the axes.
void without_empty_order(const Call& call, Restated& transpose) {
  require_list("input_order", call.type("input_order").shape);
  if (element_count(call.type("input_order").shape) == 0) transpose.remove("perm");
}
}  // namespace
Operator transpose() {
  return Operator("openvino", "Transpose")
      .summary("the axes in another order")
      .page("movement/transpose-1")
      .category("category data movement")
      .version(1,
               [](OpSchema& s) {
                 s.input("arg", "T")
                     .input("input_order", "T_AXIS")
                     .output("output0", "T")
                     .types("T", any_type)
                     .types("T_AXIS", types::integers);
               })
      .as("ai.onnx", "Transpose", 25, {{"arg", "data"}, {"input_order", "perm"}, {"output0", "transposed"}})
      .restated(without_empty_order);
}
}  // namespace opref::ops::openvino::file_transpose
