// SPDX-License-Identifier: Apache-2.0
// openvino IsNaN, version 10 (opset10)
#include "ops/operator_file.h"
#include "ops/shared/openvino.h"
namespace opref::ops::openvino::file_is_nan {
Operator is_nan() {
  return Operator("openvino", "IsNaN")
      .summary("whether an element is NaN")
      .page("comparison/isnan-10")
      .version(10, [](OpSchema& s) { s.input("data", "T").output("out", "bool").types("T", computed_floats); })
      .as("ai.onnx", "IsNaN", 20, {{"data", "X"}, {"out", "Y"}});
}
}  // namespace opref::ops::openvino::file_is_nan
