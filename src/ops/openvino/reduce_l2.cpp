// SPDX-License-Identifier: Apache-2.0
// openvino ReduceL2, version 4 (opset4)
#include "ops/operator_file.h"
#include "ops/shared/openvino.h"
namespace opref::ops::openvino::file_reduce_l2 {
namespace {
// output0[i] = √Σ data² over the axes
std::vector<Value> kernel(const Call& call, std::span<const Output> outs) {
  const Tensor& data = call.input("data");
  if (gives_elements(call)) return {data};
  const Reduction r = openvino_norm_axes(call);
  const Elements elements(data);
  const auto terms = [&](std::int64_t i, auto& sum) {
    r.reduced.each(r.kept(i), [&](const Run& run) { sum.add(elements[run]); });
  };
  return {norm(outs[0], 2, terms, Neighbours(r.kept))};
}
}  // namespace
Operator reduce_l2() {
  return openvino_norm("ReduceL2", computed_floats)
      .summary("the root of the sum of squares along some axes; without axes the elements themselves")
      .page("reduction/reduce-l2-4")
      .kernel(kernel);
}
}  // namespace opref::ops::openvino::file_reduce_l2
