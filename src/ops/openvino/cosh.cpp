// SPDX-License-Identifier: Apache-2.0
// openvino Cosh, version 1 (opset1)
#include "ops/operator_file.h"
#include "ops/shared/openvino.h"
namespace opref::ops::openvino::file_cosh {
Operator cosh() {
  return Operator("openvino", "Cosh")
      .summary("the hyperbolic cosine of each element")
      .page("arithmetic/cosh-1")
      .category("category arithmetic unary")
      .version(1, [](OpSchema& s) { s.input("arg", "T").output("output0", "T").types("T", computed_floats); })
      .as("ai.onnx", "Cosh", 22, {{"arg", "input"}, {"output0", "output"}});
}
}  // namespace opref::ops::openvino::file_cosh
