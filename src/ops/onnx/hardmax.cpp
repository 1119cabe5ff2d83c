// SPDX-License-Identifier: Apache-2.0
// ai.onnx Hardmax, versions 1, 11, 13
// https://onnx.ai/onnx/operators/onnx__Hardmax.html
#include "ops/operator_file.h"
#include "ops/shared/normalization.h"
namespace opref::ops::onnx::file_hardmax {
namespace {
// output = 1 at the first of the greatest elements of a slice, else 0
std::vector<Value> kernel(const Call& call, std::span<const Output> outs) {
  const SliceAxes a = slice_axes(call);
  const auto elements = [=](std::int64_t s, Best& best) {
    best.consider(Run{s / a.inner * a.n * a.inner + s % a.inner, a.n, a.inner});
  };
  const Selection greatest(outs[0], call.input("input"), Zeros::equal, Extreme::greatest, Tie::first, elements,
                           Neighbours(Strided(Dims{a.outer, a.inner}, Dims{a.n * a.inner, 1})));
  std::vector<std::int64_t> chosen;  // of each slice, unless one element alone is asked for
  if (!outs[0].only()) {
    chosen.resize(static_cast<size_t>(a.n == 0 ? 0 : a.outer * a.inner));
    greatest.all(chosen);
  }
  return {move_one_hot(outs[0], zero_and_one(outs[0].type().dtype), a.n, a.inner, [&](std::int64_t s) {
    return (chosen.empty() ? greatest(s) : chosen[static_cast<size_t>(s)]) / a.inner % a.n;
  })};
}
}  // namespace
Operator hardmax() {
  return softmax_operator("Hardmax")
      .summary("1 at the first of the greatest elements along an axis, else 0")
      .kernel(kernel);
}
}  // namespace opref::ops::onnx::file_hardmax
