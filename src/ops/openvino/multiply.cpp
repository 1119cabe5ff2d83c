// SPDX-License-Identifier: Apache-2.0
// openvino Multiply, version 1 (opset1)
#include "ops/operator_file.h"
#include "ops/shared/openvino.h"
namespace opref::ops::openvino::file_multiply {
Operator multiply() {
  return openvino_arithmetic("Multiply")
      .summary("arg0 times arg1, element by element")
      .page("arithmetic/multiply-1")
      .category("category arithmetic binary")
      .as("ai.onnx", "Mul", 14, {{"arg0", "A"}, {"arg1", "B"}, {"output0", "C"}, {"auto_broadcast", ""}});
}
}  // namespace opref::ops::openvino::file_multiply
