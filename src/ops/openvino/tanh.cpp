// SPDX-License-Identifier: Apache-2.0
// openvino Tanh, version 1 (opset1)
#include "ops/operator_file.h"
#include "ops/shared/openvino.h"
namespace opref::ops::openvino::file_tanh {
Operator tanh() {
  return Operator("openvino", "Tanh")
      .summary("the hyperbolic tangent of each element")
      .page("arithmetic/tanh-1")
      .category("category arithmetic unary")
      .version(1, [](OpSchema& s) { s.input("arg", "T").output("output0", "T").types("T", computed_floats); })
      .as("ai.onnx", "Tanh", 13, {{"arg", "input"}, {"output0", "output"}});
}
}  // namespace opref::ops::openvino::file_tanh
