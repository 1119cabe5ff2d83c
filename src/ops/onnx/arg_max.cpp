// SPDX-License-Identifier: Apache-2.0
// ai.onnx ArgMax, versions 1, 11, 12, 13
// https://onnx.ai/onnx/operators/onnx__ArgMax.html
#include "ops/operator_file.h"
#include "ops/shared/reductions.h"
namespace opref::ops::onnx::file_arg_max {
namespace {
// reduced[i] = the place of the greatest element of data along the axis
std::vector<Value> kernel(const Call& call, std::span<const Output> outs) {
  return arg_extreme(call, outs, Extreme::greatest);
}
}  // namespace
Operator arg_max() {
  return arg_operator("ArgMax").summary("where the greatest of the elements along an axis is").kernel(kernel);
}
}  // namespace opref::ops::onnx::file_arg_max
