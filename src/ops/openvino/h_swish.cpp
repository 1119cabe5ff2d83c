// SPDX-License-Identifier: Apache-2.0
// openvino HSwish, version 4 (opset4)
#include "ops/operator_file.h"
#include "ops/shared/openvino.h"
namespace opref::ops::openvino::file_h_swish {
Operator h_swish() {
  return Operator("openvino", "HSwish")
      .summary("x·min(max(x + 3, 0), 6)/6 of each element")
      .page("activation/hswish-4")
      .category("category activation function")
      .version(4, [](OpSchema& s) { s.input("arg", "T").output("output0", "T").types("T", computed_floats); })
      .as("ai.onnx", "HardSwish", 22, {{"arg", "X"}, {"output0", "Y"}});
}
}  // namespace opref::ops::openvino::file_h_swish
