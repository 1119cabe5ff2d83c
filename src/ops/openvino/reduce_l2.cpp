// SPDX-License-Identifier: Apache-2.0
// openvino ReduceL2, version 4 (opset4)
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

// output0[i] = √Σ data² over the axes
std::vector<Value> kernel(const Call& call, std::span<const Output> outs) {
  const Tensor& data = call.input("data");
  if (call.integers("axes").empty() && call.reads("reduce.no_axes_norm", "identity")) return {data};
  const Reduction r = reduction_of(call);
  const Elements elements(data);
  const auto terms = [&](std::int64_t i, auto& sum) {
    r.reduced.each(r.kept(i), [&](const Run& run) { sum.add(elements[run]); });
  };
  return {norm(outs[0], 2, terms, Neighbours(r.kept))};
}
}  // namespace
Operator reduce_l2() {
  return openvino_reduction("ReduceL2", 4, computed_floats)
      .summary("the root of the sum of squares along some axes; without axes the elements themselves")
      .page("reduction/reduce-l2-4")
      .reading({.name = "reduce.no_axes_norm",
                .alternatives = {"identity: without axes it is the element", "norm: it is its magnitude"},
                .defaults = {{4, "identity"}},
                .reason = "the page: empty axes reduce nothing; both programs give the magnitude",
                .may_change_values = [](const Call& call) { return element_count(call.type("axes").shape) == 0; }})
      .output_types(output_types)
      .kernel(kernel);
}
}  // namespace opref::ops::openvino
