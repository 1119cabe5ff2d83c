// SPDX-License-Identifier: Apache-2.0
// ai.onnx ReduceSum, versions 1, 11, 13
// https://onnx.ai/onnx/operators/onnx__ReduceSum.html
#include "families/sum.h"
#include "ops/common/reduce.h"

namespace opref::ops::onnx {
namespace {

// reduced[i] = Σ of data over the reduced axes;  where nothing is reduced, the bits of data
std::vector<Value> kernel(const Call& call, std::span<const Output> outs) {
  const Reduction r = reduction(call);
  if (r.is_noop) return {unreduced(outs[0], call.input("data"))};
  const Elements data(call.input("data"));
  const auto terms = [&](std::int64_t i, auto& sum) {
    r.reduced.each(r.kept(i), [&](const Run& run) { sum.add(data[run]); });
  };
  return {sum(outs[0], data.dtype(), terms)};
}

void version_1(OpSchema& s) {
  s.attribute(optional(INTS, "axes"))
      .attribute(with_default("keepdims", 1, flag()))
      .input("data", "T")
      .output("reduced", "T")
      .types("T", types::floats | types::wide, "Constrain input and output types to numeric tensors.");
}

void version_13(OpSchema& s) {
  s.becomes_input("axes").add_types("T", DType::bfloat16);
  s.attribute(with_default("noop_with_empty_axes", 0, flag()));
}

}  // namespace

Operator reduce_sum() {
  return Operator("ai.onnx", "ReduceSum")
      .summary("the sum of the elements along some axes")
      .version(1, version_1)
      .version(11, words("the page says that axes may be negative"))
      .version(13, version_13)
      .reading(duplicate_axes_reading())
      .reading(empty_axes_reading(13))
      .output_types(reduced_types)
      .kernel(kernel);
}

}  // namespace opref::ops::onnx
