// SPDX-License-Identifier: Apache-2.0
// openvino ReduceL1, version 4 (opset4)
#include "ops/operator_file.h"
#include "ops/shared/openvino.h"
namespace opref::ops::openvino::file_reduce_l1 {
namespace {
// output0[i] = Σ |data| over the axes;  of integers modulo 2^bits
std::vector<Value> kernel(const Call& call, std::span<const Output> outs) {
  const Tensor& data = call.input("data");
  if (gives_elements(call)) return {data};
  const Reduction r = openvino_norm_axes(call);
  const Elements elements(data);
  if (!is_floating(data.dtype()))
    return {wholes(outs[0], [&](std::int64_t i, const WholeReader& x) {
      std::uint64_t sum = 0;
      r.each(i,
             [&](std::int64_t at) { sum += static_cast<std::uint64_t>(std::max(x(elements, at), -x(elements, at))); });
      return sum;
    })};
  const auto terms = [&](std::int64_t i, auto& sum) {
    r.reduced.each(r.kept(i), [&](const Run& run) { sum.add(elements[run]); });
  };
  return {norm(outs[0], 1, terms, Neighbours(r.kept))};
}
}  // namespace
Operator reduce_l1() {
  return openvino_norm("ReduceL1", computed_numbers)
      .summary("the sum of magnitudes along some axes; without axes the elements themselves")
      .page("reduction/reduce-l1-4")
      .kernel(kernel);
}
}  // namespace opref::ops::openvino::file_reduce_l1
