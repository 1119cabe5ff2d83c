// SPDX-License-Identifier: Apache-2.0
// openvino Asin, version 1 (opset1)
#include "ops/operator_file.h"
#include "ops/shared/openvino.h"
namespace opref::ops::openvino::file_asin {
Operator asin() {
  return Operator("openvino", "Asin")
      .summary("the angle whose sine is x, for each element x")
      .page("arithmetic/asin-1")
      .category("category arithmetic unary")
      .version(1, [](OpSchema& s) { s.input("arg", "T").output("output0", "T").types("T", computed_floats); })
      .as("ai.onnx", "Asin", 22, {{"arg", "input"}, {"output0", "output"}});
}
}  // namespace opref::ops::openvino::file_asin
