// SPDX-License-Identifier: Apache-2.0
// ai.onnx ArgMin, versions 1, 11, 12, 13
// https://onnx.ai/onnx/operators/onnx__ArgMin.html
#include "ops/operator_file.h"
#include "ops/shared/reductions.h"
namespace opref::ops::onnx::file_arg_min {
namespace {
// reduced[i] = the place of the least element of data along the axis
std::vector<Value> kernel(const Call& call, std::span<const Output> outs) {
  return arg_extreme(call, outs, Extreme::least);
}
}  // namespace
Operator arg_min() {
  return arg_operator("ArgMin").summary("where the least of the elements along an axis is").kernel(kernel);
}
}  // namespace opref::ops::onnx::file_arg_min
