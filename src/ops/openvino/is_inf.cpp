// SPDX-License-Identifier: Apache-2.0
// openvino IsInf, version 10 (opset10)
#include "ops/operator_file.h"
#include "ops/shared/openvino.h"
namespace opref::ops::openvino::file_is_inf {
Operator is_inf() {
  return Operator("openvino", "IsInf")
      .summary("whether elements are infinite")
      .page("comparison/isinf-10")
      .version(10,
               [](OpSchema& s) {
                 s.attribute(with_default("detect_negative", 1, flag()))
                     .attribute(with_default("detect_positive", 1, flag()));
                 s.input("data", "T").output("out", "bool").types("T", computed_floats);
               })
      .as("ai.onnx", "IsInf", 20, {{"data", "X"}, {"out", "Y"}});
}
}  // namespace opref::ops::openvino::file_is_inf
