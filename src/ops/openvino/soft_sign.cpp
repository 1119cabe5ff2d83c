// SPDX-License-Identifier: Apache-2.0
// openvino SoftSign, version 9 (opset9)
#include "ops/operator_file.h"
#include "ops/shared/openvino.h"
namespace opref::ops::openvino::file_soft_sign {
Operator soft_sign() {
  return Operator("openvino", "SoftSign")
      .summary("x/(1 + |x|) of each element")
      .page("activation/softsign-9")
      .category("category activation function")
      .version(9, [](OpSchema& s) { s.input("data", "T").output("output0", "T").types("T", computed_floats); })
      .as("ai.onnx", "Softsign", 22, {{"data", "input"}, {"output0", "output"}});
}
}  // namespace opref::ops::openvino::file_soft_sign
