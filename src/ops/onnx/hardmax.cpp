// SPDX-License-Identifier: Apache-2.0
// ai.onnx Hardmax, versions 1, 11, 13
// https://onnx.ai/onnx/operators/onnx__Hardmax.html
#include "ops/operator_file.h"
#include "ops/shared/normalization.h"
namespace opref::ops::onnx {
namespace {
/// [0, 1]
Tensor zero_and_one(const Output& out) {
  const std::vector<double> numbers{0, 1};
  const Tensor pair = Tensor::copy_of({DType::float64, Dims{2}}, std::as_bytes(std::span(numbers)));
  return convert(out.inner({out.type().dtype, Dims{2}}), pair, {});
}

// output = 1 at the first of the greatest elements of a slice, else 0
std::vector<Value> kernel(const Call& call, std::span<const Output> outs) {
  const SliceAxes a = slice_axes(call);
  const auto slice = [=](std::int64_t i) { return i / (a.n * a.inner) * a.inner + i % a.inner; };
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
  return {move(outs[0], zero_and_one(outs[0]), [&](std::int64_t i) {
    const std::int64_t s = slice(i), best = chosen.empty() ? greatest(s) : chosen[static_cast<size_t>(s)];
    return Run{best == i ? 1 : 0};
  })};
}
}  // namespace
Operator hardmax() {
  return softmax_operator("Hardmax")
      .summary("1 at the first of the greatest elements along an axis, else 0")
      .kernel(kernel);
}
}  // namespace opref::ops::onnx
