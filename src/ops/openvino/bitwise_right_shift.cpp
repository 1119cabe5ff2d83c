// SPDX-License-Identifier: Apache-2.0
// openvino BitwiseRightShift, version 15 (opset15)
#include "ops/operator_file.h"
#include "ops/shared/openvino.h"
namespace opref::ops::openvino::file_bitwise_right_shift {
Operator bitwise_right_shift() {
  return openvino_bitwise("BitwiseRightShift", 15, types::integers)
      .summary("the bits of a, moved right by b places; the sign stays")
      .page("bitwise/bitwise-right-shift-15")
      .as("ai.onnx", "BitShift", 28, {{"a", "X"}, {"b", "Y"}, {"out", "Z"}, {"auto_broadcast", ""}},
          {{"direction", AttributeValue::of(std::string("RIGHT"))}});
}
}  // namespace opref::ops::openvino::file_bitwise_right_shift
