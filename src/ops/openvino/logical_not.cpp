// SPDX-License-Identifier: Apache-2.0
// openvino LogicalNot, version 1 (opset1)
#include "ops/operator_file.h"
#include "ops/shared/openvino.h"
namespace opref::ops::openvino::file_logical_not {
Operator logical_not() {
  return Operator("openvino", "LogicalNot")
      .summary("true where the element is false")
      .page("logical/logical-not-1")
      .category("category logical unary")
      .version(
          1, [](OpSchema& s) { s.input("arg", "T_BOOL").output("output0", "T_BOOL").types("T_BOOL", DType::boolean); })
      .as("ai.onnx", "Not", 1, {{"arg", "X"}, {"output0", "Y"}});
}
}  // namespace opref::ops::openvino::file_logical_not
