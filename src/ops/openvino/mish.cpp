// SPDX-License-Identifier: Apache-2.0
// openvino Mish, version 4 (opset4)
#include "ops/operator_file.h"
namespace opref::ops::openvino::file_mish {
Operator mish() {
  return Operator("openvino", "Mish")
      .summary("x·tanh(ln(1 + e^x)) of each element")
      .page("activation/mish-4")
      .category("category activation function")
      .version(
          4,
          [](OpSchema& s) { s.input("arg", "T").output("output0", "T").types("T", types::floats | DType::bfloat16); })
      .as("ai.onnx", "Mish", 22, {{"arg", "X"}, {"output0", "Y"}});
}
}  // namespace opref::ops::openvino::file_mish
