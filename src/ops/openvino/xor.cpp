// SPDX-License-Identifier: Apache-2.0
// openvino Xor, version 1 (opset1)
#include "ops/operator_file.h"
#include "ops/shared/openvino.h"
namespace opref::ops::openvino::file_xor_ {
Operator xor_() {
  return openvino_logical("Xor")
      .summary("whether one of two elements is true, element by element")
      .page("logical/logical-xor-1")
      .category("category logical binary")
      .as("ai.onnx", "Xor", 7, {{"arg0", "A"}, {"arg1", "B"}, {"output0", "C"}, {"auto_broadcast", ""}});
}
}  // namespace opref::ops::openvino::file_xor_
