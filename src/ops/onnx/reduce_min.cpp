// SPDX-License-Identifier: Apache-2.0
// ai.onnx ReduceMin, versions 1, 11, 12, 13, 18, 20
// https://onnx.ai/onnx/operators/onnx__ReduceMin.html
#include "ops/operator_file.h"
#include "ops/shared/reductions.h"
namespace opref::ops::onnx::file_reduce_min {
namespace {
// reduced[i] = the least element of data over the reduced axes
std::vector<Value> kernel(const Call& call, std::span<const Output> outs) {
  return reduced_to_extreme(call, outs, Extreme::least);
}
}  // namespace
Operator reduce_min() {
  return extreme_operator("ReduceMin").summary("the least of the elements along some axes").kernel(kernel);
}
}  // namespace opref::ops::onnx::file_reduce_min
