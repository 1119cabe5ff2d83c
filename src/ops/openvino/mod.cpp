// SPDX-License-Identifier: Apache-2.0
// openvino Mod, version 1 (opset1)
#include "ops/operator_file.h"
#include "ops/shared/openvino.h"
namespace opref::ops::openvino::file_mod {
Operator mod() {
  return openvino_arithmetic("Mod", "A", "B")
      .summary("the rest of A divided by B, with the sign of A, element by element")
      .page("arithmetic/mod-1")
      .category("category arithmetic binary")
      .as("ai.onnx", "Mod", 28, {{"output0", "C"}, {"auto_broadcast", ""}},
          {{"fmod", AttributeValue::of(std::int64_t{1})}});
}
}  // namespace opref::ops::openvino::file_mod
