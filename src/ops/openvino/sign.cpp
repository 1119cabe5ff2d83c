// SPDX-License-Identifier: Apache-2.0
// openvino Sign, version 1 (opset1)
#include "ops/operator_file.h"
#include "ops/shared/openvino.h"
namespace opref::ops::openvino::file_sign {
Operator sign() {
  return Operator("openvino", "Sign")
      .summary("-1, 0 or 1: the sign of each element")
      .page("arithmetic/sign-1")
      .category("category arithmetic unary")
      .version(1, [](OpSchema& s) { s.input("arg", "T").output("output0", "T").types("T", computed_numbers); })
      .as("ai.onnx", "Sign", 13, {{"arg", "input"}, {"output0", "output"}});
}
}  // namespace opref::ops::openvino::file_sign
