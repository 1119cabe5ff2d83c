// SPDX-License-Identifier: Apache-2.0
// openvino Minimum, version 1 (opset1)
#include "ops/operator_file.h"
#include "ops/shared/openvino.h"
namespace opref::ops::openvino::file_minimum {
Operator minimum() {
  return openvino_arithmetic("Minimum")
      .summary("the less of arg0 and arg1, element by element")
      .page("arithmetic/minimum-1")
      .category("category arithmetic binary")
      .as("ai.onnx", "Min", 13, {{"arg0", "data_0"}, {"arg1", "data_0"}, {"output0", "min"}, {"auto_broadcast", ""}});
}
}  // namespace opref::ops::openvino::file_minimum
