// SPDX-License-Identifier: Apache-2.0
// openvino Power, version 1 (opset1)
#include "ops/operator_file.h"
#include "ops/shared/openvino.h"
namespace opref::ops::openvino::file_power {
Operator power() {
  return openvino_arithmetic("Power")
      .summary("arg0 to the power of arg1, element by element")
      .page("arithmetic/power-1")
      .category("category arithmetic binary")
      .as("ai.onnx", "Pow", 15, {{"arg0", "X"}, {"arg1", "Y"}, {"output0", "Z"}, {"auto_broadcast", ""}});
}
}  // namespace opref::ops::openvino::file_power
