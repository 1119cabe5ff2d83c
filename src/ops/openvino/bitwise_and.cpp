// SPDX-License-Identifier: Apache-2.0
// openvino BitwiseAnd, version 13 (opset13)
#include "ops/operator_file.h"
#include "ops/shared/openvino.h"
namespace opref::ops::openvino::file_bitwise_and {
Operator bitwise_and() {
  return openvino_bitwise("BitwiseAnd")
      .summary("the bits that elements of a and b both have, element by element")
      .page("bitwise/bitwise-and-13")
      .as("ai.onnx", "BitwiseAnd", 18, {{"a", "A"}, {"b", "B"}, {"out", "C"}, {"auto_broadcast", ""}});
}
}  // namespace opref::ops::openvino::file_bitwise_and
