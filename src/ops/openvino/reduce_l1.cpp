// SPDX-License-Identifier: Apache-2.0
// openvino ReduceL1, version 4 (opset4)
#include "ops/operator_file.h"
#include "ops/shared/openvino.h"
#include "ops/shared/reductions.h"
namespace opref::ops::openvino {
namespace {
Reduction reduction_of(const Call& call) {
  return reduction_over(call, "data", call.integers("axes"), call.flag("keep_dims"));
}

std::vector<ValueType> output_types(const Call& call) {
  int64_list(call, "axes");
  return {TensorType{call.type("data").dtype, reduction_of(call).shape}};
}

// output0[i] = Σ |data| over the axes;  of integers modulo 2^bits
std::vector<Value> kernel(const Call& call, std::span<const Output> outs) {
  const Tensor& data = call.input("data");
  if (call.integers("axes").empty() && call.reads("reduce.no_axes_norm", "identity")) return {data};
  const Reduction r = reduction_of(call);
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
  return openvino_reduction("ReduceL1", 4, computed_numbers)
      .summary("the sum of magnitudes along some axes; without axes the elements themselves")
      .page("reduction/reduce-l1-4")
      .reading({.name = "reduce.no_axes_norm",
                .alternatives = {"identity: without axes it is the element", "norm: it is its magnitude"},
                .defaults = {{4, "identity"}},
                .reason = "the page: empty axes reduce nothing; both programs give the magnitude",
                .may_change_values = [](const Call& call) { return element_count(call.type("axes").shape) == 0; }})
      .output_types(output_types)
      .kernel(kernel);
}
}  // namespace opref::ops::openvino
