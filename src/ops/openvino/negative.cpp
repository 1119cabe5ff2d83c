// SPDX-License-Identifier: Apache-2.0
// openvino Negative, version 1 (opset1)
#include "ops/operator_file.h"
#include "ops/shared/openvino.h"
namespace opref::ops::openvino::file_negative {
Operator negative() {
  return Operator("openvino", "Negative")
      .summary("the negative of each element")
      .page("arithmetic/negative-1")
      .category("category arithmetic unary")
      .version(
          1,
          [](OpSchema& s) { s.input("arg", "T").output("output0", "T").types("T", computed_floats | signed_integers); })
      .as("ai.onnx", "Neg", 13, {{"arg", "X"}, {"output0", "Y"}});
}
}  // namespace opref::ops::openvino::file_negative
