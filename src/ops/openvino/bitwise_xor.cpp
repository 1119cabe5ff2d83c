// SPDX-License-Identifier: Apache-2.0
// openvino BitwiseXor, version 13 (opset13)
#include "ops/operator_file.h"
#include "ops/shared/openvino.h"
namespace opref::ops::openvino::file_bitwise_xor {
Operator bitwise_xor() {
  return openvino_bitwise("BitwiseXor")
      .summary("the bits that one of two elements has, element by element")
      .page("bitwise/bitwise-xor-13")
      .as("ai.onnx", "BitwiseXor", 18, {{"a", "A"}, {"b", "B"}, {"out", "C"}, {"auto_broadcast", ""}});
}
}  // namespace opref::ops::openvino::file_bitwise_xor
