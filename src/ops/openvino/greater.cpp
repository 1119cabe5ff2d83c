// SPDX-License-Identifier: Apache-2.0
// openvino Greater, version 1 (opset1)
#include "ops/operator_file.h"
#include "ops/shared/openvino.h"
namespace opref::ops::openvino::file_greater {
Operator greater() {
  return openvino_comparison("Greater")
      .summary("whether elements of arg0 are greater than those of arg1, element by element")
      .page("comparison/greater-1")
      .category("category comparison binary")
      .as("ai.onnx", "Greater", 13, {{"arg0", "A"}, {"arg1", "B"}, {"output0", "C"}, {"auto_broadcast", ""}});
}
}  // namespace opref::ops::openvino::file_greater
