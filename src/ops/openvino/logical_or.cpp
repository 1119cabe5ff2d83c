// SPDX-License-Identifier: Apache-2.0
// openvino LogicalOr, version 1 (opset1)
#include "ops/operator_file.h"
#include "ops/shared/openvino.h"
namespace opref::ops::openvino::file_logical_or {
Operator logical_or() {
  return openvino_logical("LogicalOr")
      .summary("whether an element of either is true, element by element")
      .page("logical/logical-or-1")
      .category("category logical binary")
      .as("ai.onnx", "Or", 7, {{"arg0", "A"}, {"arg1", "B"}, {"output0", "C"}, {"auto_broadcast", ""}});
}
}  // namespace opref::ops::openvino::file_logical_or
