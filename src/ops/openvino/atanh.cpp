// SPDX-License-Identifier: Apache-2.0
// openvino Atanh, version 4 (opset4)
#include "ops/operator_file.h"
#include "ops/shared/openvino.h"
namespace opref::ops::openvino::file_atanh {
Operator atanh() {
  return Operator("openvino", "Atanh")
      .summary("the number whose hyperbolic tangent is x, for each element x")
      .page("arithmetic/atanh-3")
      .category("category arithmetic unary")
      .version(4, [](OpSchema& s) { s.input("arg", "T").output("output0", "T").types("T", computed_floats); })
      .as("ai.onnx", "Atanh", 22, {{"arg", "input"}, {"output0", "output"}});
}
}  // namespace opref::ops::openvino::file_atanh
