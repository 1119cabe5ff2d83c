// SPDX-License-Identifier: Apache-2.0
// openvino GreaterEqual, version 1 (opset1)
#include "ops/operator_file.h"
#include "ops/shared/openvino.h"
namespace opref::ops::openvino::file_greater_equal {
Operator greater_equal() {
  return openvino_comparison("GreaterEqual")
      .summary("whether elements of arg0 are greater than those of arg1, or equal, element by element")
      .page("comparison/greater-equal-1")
      .category("category comparison binary")
      .as("ai.onnx", "GreaterOrEqual", 16, {{"arg0", "A"}, {"arg1", "B"}, {"output0", "C"}, {"auto_broadcast", ""}});
}
}  // namespace opref::ops::openvino::file_greater_equal
