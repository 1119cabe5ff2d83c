// SPDX-License-Identifier: Apache-2.0
// openvino LessEqual, version 1 (opset1)
#include "ops/operator_file.h"
#include "ops/shared/openvino.h"
namespace opref::ops::openvino::file_less_equal {
Operator less_equal() {
  return openvino_comparison("LessEqual")
      .summary("whether elements of arg0 are less than those of arg1, or equal, element by element")
      .page("comparison/lessequal-1")
      .category("category comparison binary")
      .as("ai.onnx", "LessOrEqual", 16, {{"arg0", "A"}, {"arg1", "B"}, {"output0", "C"}, {"auto_broadcast", ""}});
}
}  // namespace opref::ops::openvino::file_less_equal
