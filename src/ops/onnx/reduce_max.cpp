// SPDX-License-Identifier: Apache-2.0
// ai.onnx ReduceMax, versions 1, 11, 12, 13, 18, 20
// https://onnx.ai/onnx/operators/onnx__ReduceMax.html
#include "ops/operator_file.h"
#include "ops/shared/reductions.h"
namespace opref::ops::onnx::file_reduce_max {
namespace {
// reduced[i] = the greatest element of data over the reduced axes
std::vector<Value> kernel(const Call& call, std::span<const Output> outs) {
  return reduced_to_extreme(call, outs, Extreme::greatest);
}
}  // namespace
Operator reduce_max() {
  return extreme_operator("ReduceMax").summary("the greatest of the elements along some axes").kernel(kernel);
}
}  // namespace opref::ops::onnx::file_reduce_max
