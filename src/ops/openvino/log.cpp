// SPDX-License-Identifier: Apache-2.0
// openvino Log, version 1 (opset1)
#include "ops/operator_file.h"
#include "ops/shared/openvino.h"
namespace opref::ops::openvino::file_log {
Operator log() {
  return Operator("openvino", "Log")
      .summary("the natural logarithm of each element")
      .page("arithmetic/log-1")
      .category("category arithmetic unary")
      .version(1, [](OpSchema& s) { s.input("arg", "T").output("output0", "T").types("T", computed_floats); })
      .as("ai.onnx", "Log", 13, {{"arg", "input"}, {"output0", "output"}});
}
}  // namespace opref::ops::openvino::file_log
