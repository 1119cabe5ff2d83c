// SPDX-License-Identifier: Apache-2.0
// openvino LogicalAnd, version 1 (opset1)
#include "ops/operator_file.h"
#include "ops/shared/openvino.h"
namespace opref::ops::openvino::file_logical_and {
Operator logical_and() {
  return openvino_logical("LogicalAnd")
      .summary("whether elements of both are true, element by element")
      .page("logical/logical-and-1")
      .category("category logical binary")
      .as("ai.onnx", "And", 7, {{"arg0", "A"}, {"arg1", "B"}, {"output0", "C"}, {"auto_broadcast", ""}});
}
}  // namespace opref::ops::openvino::file_logical_and
