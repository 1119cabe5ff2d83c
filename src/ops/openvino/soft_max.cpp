// SPDX-License-Identifier: Apache-2.0
// openvino SoftMax, versions 1 (opset1), 8 (opset8)
#include "ops/operator_file.h"
namespace opref::ops::openvino {
Operator soft_max() {
  return Operator("openvino", "SoftMax")
      .summary("e^x of each element, divided by the sum of them along an axis")
      .page("activation/softmax-8")
      .category("category activation function")
      .version(1,
               [](OpSchema& s) {
                 s.attribute(with_default("axis", 0, at_least(0))).input("arg", "T").output("output0", "T");
                 s.types("T", types::floats | DType::bfloat16);
               })
      .version(8, [](OpSchema& s) { s.change("axis") = with_default("axis", 1); })
      .as("ai.onnx", "Softmax", 13, {{"arg", "input"}, {"output0", "output"}});
}
}  // namespace opref::ops::openvino
