// SPDX-License-Identifier: Apache-2.0
// com.microsoft QuickGelu, version 1
// https://github.com/microsoft/onnxruntime/blob/main/docs/ContribOperators.md#com.microsoft.QuickGelu
#include "ops/operator_file.h"
namespace opref::ops::microsoft::file_quick_gelu {
namespace {
void version_1(OpSchema& s) {
  s.input("X", "T").output("Y", "T").types("T", types::floats | DType::bfloat16);
  s.attribute(with_default("alpha", 1.702F));
}
}  // namespace
// Y = X·sigmoid(alpha·X)
Operator quick_gelu() {
  return Operator("com.microsoft", "QuickGelu")
      .summary("X·sigmoid(alpha·X) of each element")
      .version(1, version_1)
      .as("ai.onnx", "Swish", 24, {});
}
}  // namespace opref::ops::microsoft::file_quick_gelu
