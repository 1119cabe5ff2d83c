// SPDX-License-Identifier: Apache-2.0
// ai.onnx ReduceSumSquare, versions 1, 11, 13, 18
// https://onnx.ai/onnx/operators/onnx__ReduceSumSquare.html
#include "ops/operator_file.h"
#include "ops/shared/reductions.h"
namespace opref::ops::onnx::file_reduce_sum_square {
namespace {
// reduced[i] = Σ data² over the reduced axes;  of integers modulo 2^bits
std::vector<Value> kernel(const Call& call, std::span<const Output> outs) {
  const Reduction r = reduction(call);
  const Elements data(call.input("data"));
  const auto squares = [&](std::int64_t i, auto& sum) {
    r.reduced.each(r.kept(i), [&](const Run& run) { sum.add(data[run], data[run]); });
  };
  return {sum(outs[0], data.dtype(), squares, Neighbours(r.kept))};
}
}  // namespace
Operator reduce_sum_square() {
  return reduction_operator("ReduceSumSquare").summary("the sum of squares along some axes").kernel(kernel);
}
}  // namespace opref::ops::onnx::file_reduce_sum_square
