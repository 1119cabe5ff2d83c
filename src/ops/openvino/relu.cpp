// SPDX-License-Identifier: Apache-2.0
// openvino ReLU, version 1 (opset1)
#include "ops/operator_file.h"
#include "ops/shared/openvino.h"
namespace opref::ops::openvino::file_relu {
Operator relu() {
  return Operator("openvino", "ReLU")
      .summary("max(0, x) of each element")
      .page("activation/relu-1")
      .category("category activation function")
      .version(1, [](OpSchema& s) { s.input("input0", "T").output("output0", "T").types("T", computed_numbers); })
      .as("ai.onnx", "Relu", 14, {{"input0", "X"}, {"output0", "Y"}})
      .restated(with_more_types);
}
}  // namespace opref::ops::openvino::file_relu
