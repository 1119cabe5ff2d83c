// SPDX-License-Identifier: Apache-2.0
// ai.onnx Softmax, versions 1, 11, 13
// https://onnx.ai/onnx/operators/onnx__Softmax.html
#include "ops/operator_file.h"
#include "ops/shared/normalization.h"
namespace opref::ops::onnx::file_softmax {
namespace {
// output = exp(input) / Σ exp(input) over the elements of a slice. Every exponent may be lessened by the same finite
// number; by an infinite one, as the function's body does it, +Inf makes NaN of the whole slice.
struct Softmax {
  SliceOperand input;
  bool lessens_by_infinity;
  template <class R>
  void operator()(const Slices<R>& s) const {
    const auto x = s.row(input);
    const R most = s.named("the greatest element", greatest(x)),
            shift = lessens_by_infinity || is_finite(most) ? most : R(0.0);
    const auto powers = keep(exp(x - shift));
    s.put(0, powers / s.named("the sum of e^(x - greatest)", sum(powers)), Sign::positive, 1);
  }
};

std::vector<Value> kernel(const Call& call, std::span<const Output> outs) {
  const Slicing lines = softmax_slices(call);
  return slices(outs, lines, Softmax{lines.operand(call.input("input")), has_nan_rows(call)});
}
}  // namespace
Operator softmax() {
  return softmax_operator("Softmax")
      .summary("e^x of each element, divided by the sum of them along an axis")
      .reading(plus_infinity_reading(1, "per_element: NaN at +Inf, 0 elsewhere",
                                     "the formula gives NaN at +Inf and 0 elsewhere; the function's body, which "
                                     "lessens by the greatest element, gives NaN everywhere"))
      .kernel(kernel);
}
}  // namespace opref::ops::onnx::file_softmax
