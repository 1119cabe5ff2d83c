// SPDX-License-Identifier: Apache-2.0
// openvino BitwiseLeftShift, version 15 (opset15)
#include "ops/operator_file.h"
#include "ops/shared/openvino.h"
namespace opref::ops::openvino::file_bitwise_left_shift {
Operator bitwise_left_shift() {
  return openvino_bitwise("BitwiseLeftShift", 15, types::integers)
      .summary("the bits of a, moved left by b places")
      .page("bitwise/bitwise-left-shift-15")
      .as("ai.onnx", "BitShift", 28, {{"a", "X"}, {"b", "Y"}, {"out", "Z"}, {"auto_broadcast", ""}},
          {{"direction", AttributeValue::of(std::string("LEFT"))}});
}
}  // namespace opref::ops::openvino::file_bitwise_left_shift
