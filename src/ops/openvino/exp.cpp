// SPDX-License-Identifier: Apache-2.0
// openvino Exp, version 1 (opset1)
#include "ops/operator_file.h"
#include "ops/shared/openvino.h"
namespace opref::ops::openvino::file_exp {
Operator exp() {
  return Operator("openvino", "Exp")
      .summary("e to the power of each element")
      .page("activation/exp-1")
      .category("category activation function")
      .version(1, [](OpSchema& s) { s.input("arg", "T").output("output0", "T").types("T", computed_floats); })
      .as("ai.onnx", "Exp", 13, {{"arg", "input"}, {"output0", "output"}});
}
}  // namespace opref::ops::openvino::file_exp
