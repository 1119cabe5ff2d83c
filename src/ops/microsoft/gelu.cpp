// SPDX-License-Identifier: Apache-2.0
// com.microsoft Gelu, version 1
// https://github.com/microsoft/onnxruntime/blob/main/docs/ContribOperators.md#com.microsoft.Gelu
#include "ops/operator_file.h"
namespace opref::ops::microsoft::file_gelu {
namespace {
void version_1(OpSchema& s) { s.input("X", "T").output("Y", "T").types("T", types::floats | DType::bfloat16); }
}  // namespace
// Y = X/2·(1 + erf(X/√2))
Operator gelu() {
  return Operator("com.microsoft", "Gelu")
      .summary("x/2·(1 + erf(x/√2)) of each element")
      .version(1, version_1)
      .as("ai.onnx", "Gelu", 20);
}
}  // namespace opref::ops::microsoft::file_gelu
