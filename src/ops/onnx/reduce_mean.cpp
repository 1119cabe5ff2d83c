// SPDX-License-Identifier: Apache-2.0
// ai.onnx ReduceMean, versions 1, 11, 13, 18
// https://onnx.ai/onnx/operators/onnx__ReduceMean.html
#include "ops/operator_file.h"
#include "ops/shared/reductions.h"
namespace opref::ops::onnx::file_reduce_mean {
namespace {
// reduced[i] = Σ of data over the reduced axes / the number of terms;  of integers truncated;  of no number NaN
std::vector<Value> kernel(const Call& call, std::span<const Output> outs) {
  const Reduction r = reduction(call);
  if (r.is_noop) return {unreduced(outs[0], call.input("data"))};
  const Elements data(call.input("data"));
  const std::int64_t n = r.count();
  if (n == 0) return {real(outs[0], []<class R>(std::int64_t, const Reader<R>& x) { return x.zero() / x.zero(); })};
  const auto terms = [&](std::int64_t i, auto& sum) {
    r.reduced.each(r.kept(i), [&](const Run& run) { sum.add(data[run]); });
  };
  if (reduces_integers(call) && call.reads("reduce.integer_mean", "floor"))
    return {wholes(outs[0], [&](std::int64_t i, const WholeReader& x) {
      Elements::Wide sum = 0;
      r.each(i, [&](std::int64_t at) { sum += x(data, at); });
      return static_cast<std::uint64_t>(sum / n - (sum % n < 0 ? 1 : 0));
    })};
  if (reduces_integers(call) && call.reads("reduce.integer_mean", "wrapped_sum")) {
    const Tensor wrapped = sum(outs[0].inner(outs[0].type()), data.dtype(), terms, Neighbours(r.kept));
    return {wholes(outs[0], [&, sums = Elements(wrapped)](std::int64_t i, const WholeReader&) {
      return static_cast<std::uint64_t>(sums.wide(i) / n);
    })};
  }
  const auto mean = [&](std::int64_t i, auto& sum) { terms(i, sum), sum.scale({1, n}); };
  return {sum(outs[0], data.dtype(), mean, Neighbours(r.kept), Integers{Integers::Rounding::truncate})};
}
}  // namespace
Operator reduce_mean() {
  return reduction_operator("ReduceMean")
      .summary("the mean of the elements along some axes")
      .reading({.name = "reduce.integer_mean",
                .alternatives = {"truncated: the exact sum, divided and truncated toward zero",
                                 "floor: the greatest integer that is not above the mean",
                                 "wrapped_sum: the sum wraps as its type does, then it is divided"},
                .defaults = {{1, "truncated"}},
                .reason = "the page has the mean of integers in their own type, and integers are divided by truncation",
                .may_change_values = reduces_integers})
      .output_types(reduced_types_of_some)
      .kernel(kernel);
}
}  // namespace opref::ops::onnx::file_reduce_mean
