// SPDX-License-Identifier: Apache-2.0
// openvino Abs, version 1 (opset1)
#include "ops/operator_file.h"
#include "ops/shared/openvino.h"
namespace opref::ops::openvino::file_abs {
Operator abs() {
  return Operator("openvino", "Abs")
      .summary("the magnitude of each element")
      .page("arithmetic/abs-1")
      .category("category arithmetic unary")
      .version(1, [](OpSchema& s) { s.input("arg", "T").output("output0", "T").types("T", computed_numbers); })
      .as("ai.onnx", "Abs", 13, {{"arg", "X"}, {"output0", "Y"}});
}
}  // namespace opref::ops::openvino::file_abs
