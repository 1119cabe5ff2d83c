// SPDX-License-Identifier: Apache-2.0
// openvino Equal, version 1 (opset1)
#include "ops/operator_file.h"
#include "ops/shared/openvino.h"
namespace opref::ops::openvino::file_equal {
Operator equal() {
  return openvino_comparison("Equal")
      .summary("whether elements of arg0 and arg1 are one value, element by element")
      .page("comparison/equal-1")
      .category("category comparison binary")
      .as("ai.onnx", "Equal", 19, {{"arg0", "A"}, {"arg1", "B"}, {"output0", "C"}, {"auto_broadcast", ""}});
}
}  // namespace opref::ops::openvino::file_equal
