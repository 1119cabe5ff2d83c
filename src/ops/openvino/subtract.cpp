// SPDX-License-Identifier: Apache-2.0
// openvino Subtract, version 1 (opset1)
#include "ops/operator_file.h"
#include "ops/shared/openvino.h"
namespace opref::ops::openvino::file_subtract {
Operator subtract() {
  return openvino_arithmetic("Subtract")
      .summary("arg0 - arg1, element by element")
      .page("arithmetic/subtract-1")
      .category("category arithmetic binary")
      .as("ai.onnx", "Sub", 14, {{"arg0", "A"}, {"arg1", "B"}, {"output0", "C"}, {"auto_broadcast", ""}});
}
}  // namespace opref::ops::openvino::file_subtract
