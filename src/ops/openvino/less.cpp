// SPDX-License-Identifier: Apache-2.0
// openvino Less, version 1 (opset1)
#include "ops/operator_file.h"
#include "ops/shared/openvino.h"
namespace opref::ops::openvino::file_less {
Operator less() {
  return openvino_comparison("Less")
      .summary("whether elements of arg0 are less than those of arg1, element by element")
      .page("comparison/less-1")
      .category("category comparison binary")
      .as("ai.onnx", "Less", 13, {{"arg0", "A"}, {"arg1", "B"}, {"output0", "C"}, {"auto_broadcast", ""}});
}
}  // namespace opref::ops::openvino::file_less
