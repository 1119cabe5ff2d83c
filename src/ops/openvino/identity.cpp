// SPDX-License-Identifier: Apache-2.0
// openvino Identity, version 16 (opset16)
#include "ops/operator_file.h"
#include "ops/shared/openvino.h"
namespace opref::ops::openvino::file_identity {
Operator identity() {
  return Operator("openvino", "Identity")
      .summary("the elements themselves")
      .page("activation/identity-16")
      .version(16, [](OpSchema& s) { s.input("data", "T").output("out", "T").types("T", any_type); })
      .as("ai.onnx", "Identity", 16, {{"data", "input"}, {"out", "output"}})
      .restated(with_more_types);
}
}  // namespace opref::ops::openvino::file_identity
