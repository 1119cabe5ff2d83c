// SPDX-License-Identifier: Apache-2.0
// ai.onnx ReduceSum, versions 1, 11, 13
// https://onnx.ai/onnx/operators/onnx__ReduceSum.html
#include "ops/operator_file.h"
#include "ops/shared/reductions.h"
namespace opref::ops::onnx::file_reduce_sum {
namespace {
// reduced[i] = Σ of data over the reduced axes;  where nothing is reduced, the bits of data
std::vector<Value> kernel(const Call& call, std::span<const Output> outs) {
  const Reduction r = reduction(call);
  if (r.is_noop) return {unreduced(outs[0], call.input("data"))};
  const Elements data(call.input("data"));
  const auto terms = [&](std::int64_t i, auto& sum) {
    r.reduced.each(r.kept(i), [&](const Run& run) { sum.add(data[run]); });
  };
  return {sum(outs[0], data.dtype(), terms, Neighbours(r.kept))};
}
}  // namespace
Operator reduce_sum() {
  return sum_operator("ReduceSum").summary("the sum of the elements along some axes").kernel(kernel);
}
}  // namespace opref::ops::onnx::file_reduce_sum
