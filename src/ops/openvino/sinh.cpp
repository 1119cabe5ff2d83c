// SPDX-License-Identifier: Apache-2.0
// openvino Sinh, version 1 (opset1)
#include "ops/operator_file.h"
#include "ops/shared/openvino.h"
namespace opref::ops::openvino::file_sinh {
Operator sinh() {
  return Operator("openvino", "Sinh")
      .summary("the hyperbolic sine of each element")
      .page("arithmetic/sinh-1")
      .category("category arithmetic unary")
      .version(1, [](OpSchema& s) { s.input("arg", "T").output("output0", "T").types("T", computed_floats); })
      .as("ai.onnx", "Sinh", 22, {{"arg", "input"}, {"output0", "output"}});
}
}  // namespace opref::ops::openvino::file_sinh
