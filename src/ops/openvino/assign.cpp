// SPDX-License-Identifier: Apache-2.0
// openvino Assign, versions 3 (opset3), 6 (opset6)
#include "ops/operator_file.h"
#include "ops/shared/openvino.h"
namespace opref::ops::openvino::file_assign {
Operator assign() {
  return Operator("openvino", "Assign")
      .summary("a value, which a variable has from now on")
      .page("infrastructure/assign-3")
      .category("category infrastructure")
      .version(3,
               [](OpSchema& s) {
                 s.input("new_value", "T").output("output0", "T").types("T", any_type);
                 s.attribute(required(STRING, "variable_id"));
               })
      .version(6, words("a variable has a type and a shape"))
      .as("ai.onnx", "Identity", 16, {{"new_value", "input"}, {"output0", "output"}, {"variable_id", ""}})
      .restated(with_more_types);
}
}  // namespace opref::ops::openvino::file_assign
