// SPDX-License-Identifier: Apache-2.0
// ai.onnx BlackmanWindow, version 17
// https://onnx.ai/onnx/operators/onnx__BlackmanWindow.html
#include "ops/operator_file.h"
#include "ops/shared/signals.h"
namespace opref::ops::onnx::file_blackman_window {
namespace {
// 0.42 - 0.5·cos(2πn/P) + 0.08·cos(4πn/P)
std::vector<Value> kernel(const Call& call, std::span<const Output> outs) {
  return cosine_window(call, outs, {.a0 = 42, .a1 = 50, .a2 = 8, .over = 100, .in_float32 = {0.42F, 0.5F, 0.08F}});
}
}  // namespace
Operator blackman_window() {
  return cosine_window_operator("BlackmanWindow")
      .summary("the window 0.42 - 0.5·cos(2πn/P) + 0.08·cos(4πn/P)")
      .kernel(kernel);
}
}  // namespace opref::ops::onnx::file_blackman_window
