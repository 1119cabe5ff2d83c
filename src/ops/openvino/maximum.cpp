// SPDX-License-Identifier: Apache-2.0
// openvino Maximum, version 1 (opset1)
#include "ops/operator_file.h"
#include "ops/shared/openvino.h"
namespace opref::ops::openvino::file_maximum {
Operator maximum() {
  return openvino_arithmetic("Maximum")
      .summary("the greater of arg0 and arg1, element by element")
      .page("arithmetic/maximum-1")
      .category("category arithmetic binary")
      .as("ai.onnx", "Max", 13, {{"arg0", "data_0"}, {"arg1", "data_0"}, {"output0", "max"}, {"auto_broadcast", ""}});
}
}  // namespace opref::ops::openvino::file_maximum
