// SPDX-License-Identifier: Apache-2.0
// openvino Acosh, version 4 (opset4)
#include "ops/operator_file.h"
#include "ops/shared/openvino.h"
namespace opref::ops::openvino::file_acosh {
Operator acosh() {
  return Operator("openvino", "Acosh")
      .summary("the number whose hyperbolic cosine is x, for each element x")
      .page("arithmetic/acosh-3")
      .category("category arithmetic unary")
      .version(4, [](OpSchema& s) { s.input("arg", "T").output("output0", "T").types("T", computed_floats); })
      .as("ai.onnx", "Acosh", 22, {{"arg", "input"}, {"output0", "output"}});
}
}  // namespace opref::ops::openvino::file_acosh
