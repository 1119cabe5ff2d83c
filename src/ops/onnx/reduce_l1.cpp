// SPDX-License-Identifier: Apache-2.0
// ai.onnx ReduceL1, versions 1, 11, 13, 18
// https://onnx.ai/onnx/operators/onnx__ReduceL1.html
#include "ops/operator_file.h"
#include "ops/shared/reductions.h"
namespace opref::ops::onnx::file_reduce_l1 {
namespace {
// reduced[i] = Σ |data| over the reduced axes;  of integers modulo 2^bits
std::vector<Value> kernel(const Call& call, std::span<const Output> outs) {
  const Reduction r = reduction(call);
  const Elements data(call.input("data"));
  if (reduces_integers(call))
    return {wholes(outs[0], [&](std::int64_t i, const WholeReader& x) {
      std::uint64_t sum = 0;
      r.each(i, [&](std::int64_t at) {
        const Elements::Wide n = x(data, at);
        sum += static_cast<std::uint64_t>(n < 0 ? -n : n);
      });
      return sum;
    })};
  const auto terms = [&](std::int64_t i, auto& sum) {
    r.reduced.each(r.kept(i), [&](const Run& run) { sum.add(data[run]); });
  };
  return {norm(outs[0], 1, terms, Neighbours(r.kept))};
}
}  // namespace
Operator reduce_l1() {
  return reduction_operator("ReduceL1").summary("the sum of the magnitudes along some axes").kernel(kernel);
}
}  // namespace opref::ops::onnx::file_reduce_l1
