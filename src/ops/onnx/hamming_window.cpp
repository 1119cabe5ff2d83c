// SPDX-License-Identifier: Apache-2.0
// ai.onnx HammingWindow, version 17
// https://onnx.ai/onnx/operators/onnx__HammingWindow.html
#include "ops/operator_file.h"
#include "ops/shared/signals.h"
namespace opref::ops::onnx::file_hamming_window {
namespace {
// 25/46 - 21/46·cos(2πn/P)
std::vector<Value> kernel(const Call& call, std::span<const Output> outs) {
  return cosine_window(call, outs,
                       {.a0 = 25, .a1 = 21, .a2 = 0, .over = 46, .in_float32 = {0.54347826F, 0.45652174F, 0}});
}
}  // namespace
Operator hamming_window() {
  return cosine_window_operator("HammingWindow").summary("the window 25/46 - 21/46·cos(2πn/P)").kernel(kernel);
}
}  // namespace opref::ops::onnx::file_hamming_window
