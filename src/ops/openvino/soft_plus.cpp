// SPDX-License-Identifier: Apache-2.0
// openvino SoftPlus, version 4 (opset4)
#include "ops/operator_file.h"
#include "ops/shared/openvino.h"
namespace opref::ops::openvino::file_soft_plus {
Operator soft_plus() {
  return Operator("openvino", "SoftPlus")
      .summary("ln(1 + e^x) of each element")
      .page("activation/softplus-4")
      .category("category activation function")
      .version(4, [](OpSchema& s) { s.input("arg", "T").output("output0", "T").types("T", computed_floats); })
      .as("ai.onnx", "Softplus", 22, {{"arg", "X"}, {"output0", "Y"}});
}
}  // namespace opref::ops::openvino::file_soft_plus
