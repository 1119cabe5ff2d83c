// SPDX-License-Identifier: Apache-2.0
// openvino FloorMod, version 1 (opset1)
#include "ops/operator_file.h"
#include "ops/shared/openvino.h"
namespace opref::ops::openvino::file_floor_mod {
Operator floor_mod() {
  return openvino_arithmetic("FloorMod")
      .summary("the rest of arg0 divided by arg1, with the sign of arg1, element by element")
      .page("arithmetic/floormod-1")
      .category("category arithmetic binary")
      .as("ai.onnx", "Mod", 28, {{"arg0", "A"}, {"arg1", "B"}, {"output0", "C"}, {"auto_broadcast", ""}});
}
}  // namespace opref::ops::openvino::file_floor_mod
