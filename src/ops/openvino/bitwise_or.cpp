// SPDX-License-Identifier: Apache-2.0
// openvino BitwiseOr, version 13 (opset13)
#include "ops/operator_file.h"
#include "ops/shared/openvino.h"
namespace opref::ops::openvino::file_bitwise_or {
Operator bitwise_or() {
  return openvino_bitwise("BitwiseOr")
      .summary("the bits that elements of a or b have, element by element")
      .page("bitwise/bitwise-or-13")
      .as("ai.onnx", "BitwiseOr", 18, {{"a", "A"}, {"b", "B"}, {"out", "C"}, {"auto_broadcast", ""}});
}
}  // namespace opref::ops::openvino::file_bitwise_or
