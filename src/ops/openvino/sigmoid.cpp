// SPDX-License-Identifier: Apache-2.0
// openvino Sigmoid, version 1 (opset1)
#include "ops/operator_file.h"
#include "ops/shared/openvino.h"
namespace opref::ops::openvino::file_sigmoid {
Operator sigmoid() {
  return Operator("openvino", "Sigmoid")
      .summary("1/(1 + e^-x) of each element")
      .page("activation/sigmoid-1")
      .category("category activation function")
      .version(1, [](OpSchema& s) { s.input("arg", "T").output("output0", "T").types("T", computed_floats); })
      .as("ai.onnx", "Sigmoid", 13, {{"arg", "X"}, {"output0", "Y"}});
}
}  // namespace opref::ops::openvino::file_sigmoid
