// SPDX-License-Identifier: Apache-2.0
// openvino Add, version 1 (opset1)
#include "ops/operator_file.h"
#include "ops/shared/openvino.h"
namespace opref::ops::openvino::file_add {
Operator add() {
  return openvino_arithmetic("Add")
      .summary("arg0 + arg1, element by element")
      .page("arithmetic/add-1")
      .category("category arithmetic binary")
      .as("ai.onnx", "Add", 14, {{"arg0", "A"}, {"arg1", "B"}, {"output0", "C"}, {"auto_broadcast", ""}});
}
}  // namespace opref::ops::openvino::file_add
