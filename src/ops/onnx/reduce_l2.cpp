// SPDX-License-Identifier: Apache-2.0
// ai.onnx ReduceL2, versions 1, 11, 13, 18
// https://onnx.ai/onnx/operators/onnx__ReduceL2.html
#include "ops/operator_file.h"
#include "ops/shared/reductions.h"
namespace opref::ops::onnx::file_reduce_l2 {
namespace {
// reduced[i] = √(Σ data²) over the reduced axes;  of integers truncated
std::vector<Value> kernel(const Call& call, std::span<const Output> outs) {
  const Reduction r = reduction(call);
  const Elements data(call.input("data"));
  if (reduces_integers(call))
    return {reduced_numbers(outs[0], [&]<class R>(std::int64_t i, const Reader<R>& x) {
      R sum = x.zero();
      r.each(i, [&](std::int64_t at) { sum = sum + square(x(data, at)); });
      return sqrt(x.named("the sum of squares", sum));
    })};
  const auto terms = [&](std::int64_t i, auto& sum) {
    r.reduced.each(r.kept(i), [&](const Run& run) { sum.add(data[run]); });
  };
  return {norm(outs[0], 2, terms, Neighbours(r.kept))};
}

std::vector<ValueType> output_types(const Call& call) {
  require_transcendental(call);
  return reduced_types(call);
}
}  // namespace
Operator reduce_l2() {
  return reduction_operator("ReduceL2")
      .summary("the square root of the sum of squares along some axes")
      .reading(integer_transcendental_reading())
      .output_types(output_types)
      .kernel(kernel);
}
}  // namespace opref::ops::onnx::file_reduce_l2
