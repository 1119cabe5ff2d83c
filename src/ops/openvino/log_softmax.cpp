// SPDX-License-Identifier: Apache-2.0
// openvino LogSoftmax, version 5 (opset5)
#include "ops/operator_file.h"
#include "ops/shared/openvino.h"
namespace opref::ops::openvino::file_log_softmax {
Operator log_softmax() {
  return Operator("openvino", "LogSoftmax")
      .summary("the logarithms of what SoftMax gives along an axis")
      .page("activation/log-soft-max-5")
      .category("category activation function")
      .version(
          5,
          [](OpSchema& s) {
            s.attribute(with_default("axis", 1)).input("arg", "T").output("output0", "T").types("T", computed_floats);
          })
      .as("ai.onnx", "LogSoftmax", 13, {{"arg", "input"}, {"output0", "output"}});
}
}  // namespace opref::ops::openvino::file_log_softmax
