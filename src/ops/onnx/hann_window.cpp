// SPDX-License-Identifier: Apache-2.0
// ai.onnx HannWindow, version 17
// https://onnx.ai/onnx/operators/onnx__HannWindow.html
#include "ops/operator_file.h"
#include "ops/shared/signals.h"
namespace opref::ops::onnx::file_hann_window {
namespace {
// 1/2 - 1/2·cos(2πn/P)
std::vector<Value> kernel(const Call& call, std::span<const Output> outs) {
  return cosine_window(call, outs, {.a0 = 1, .a1 = 1, .a2 = 0, .over = 2, .in_float32 = {0.5F, 0.5F, 0}});
}
}  // namespace
Operator hann_window() {
  return cosine_window_operator("HannWindow").summary("the window 1/2 - 1/2·cos(2πn/P)").kernel(kernel);
}
}  // namespace opref::ops::onnx::file_hann_window
