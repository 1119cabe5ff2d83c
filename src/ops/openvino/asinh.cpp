// SPDX-License-Identifier: Apache-2.0
// openvino Asinh, version 4 (opset4)
#include "ops/operator_file.h"
#include "ops/shared/openvino.h"
namespace opref::ops::openvino::file_asinh {
Operator asinh() {
  return Operator("openvino", "Asinh")
      .summary("the number whose hyperbolic sine is x, for each element x")
      .page("arithmetic/asinh-3")
      .category("category arithmetic unary")
      .version(4, [](OpSchema& s) { s.input("arg", "T").output("output0", "T").types("T", computed_floats); })
      .as("ai.onnx", "Asinh", 22, {{"arg", "input"}, {"output0", "output"}});
}
}  // namespace opref::ops::openvino::file_asinh
