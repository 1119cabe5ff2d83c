// SPDX-License-Identifier: Apache-2.0
// openvino Sqrt, version 1 (opset1)
#include "ops/operator_file.h"
#include "ops/shared/openvino.h"
namespace opref::ops::openvino::file_sqrt {
Operator sqrt() {
  return Operator("openvino", "Sqrt")
      .summary("the square root of each element")
      .page("arithmetic/sqrt-1")
      .category("category arithmetic unary")
      .version(1, [](OpSchema& s) { s.input("arg", "T").output("output0", "T").types("T", computed_floats); })
      .as("ai.onnx", "Sqrt", 13, {{"arg", "X"}, {"output0", "Y"}});
}
}  // namespace opref::ops::openvino::file_sqrt
