// SPDX-License-Identifier: Apache-2.0
// openvino Sin, version 1 (opset1)
#include "ops/operator_file.h"
#include "ops/shared/openvino.h"
namespace opref::ops::openvino::file_sin {
Operator sin() {
  return Operator("openvino", "Sin")
      .summary("the sine of each element")
      .page("arithmetic/sin-1")
      .category("category arithmetic unary")
      .version(1, [](OpSchema& s) { s.input("arg", "T").output("output0", "T").types("T", computed_floats); })
      .as("ai.onnx", "Sin", 22, {{"arg", "input"}, {"output0", "output"}});
}
}  // namespace opref::ops::openvino::file_sin
