// SPDX-License-Identifier: Apache-2.0
// openvino Cos, version 1 (opset1)
#include "ops/operator_file.h"
#include "ops/shared/openvino.h"
namespace opref::ops::openvino::file_cos {
Operator cos() {
  return Operator("openvino", "Cos")
      .summary("the cosine of each element")
      .page("arithmetic/cos-1")
      .category("category arithmetic unary")
      .version(1, [](OpSchema& s) { s.input("arg", "T").output("output0", "T").types("T", computed_floats); })
      .as("ai.onnx", "Cos", 22, {{"arg", "input"}, {"output0", "output"}});
}
}  // namespace opref::ops::openvino::file_cos
