// SPDX-License-Identifier: Apache-2.0
// ai.onnx Softmax, versions 1, 11, 13
// https://onnx.ai/onnx/operators/onnx__Softmax.html
#include "ops/operator_file.h"
#include "ops/shared/normalization.h"
namespace opref::ops::onnx {
namespace {
// output = exp(input) / Σ exp(input) over the elements of a slice. Every exponent may be lessened by the same finite
// number; by an infinite one, as the function's body does it, +Inf makes NaN of the whole slice.
struct Softmax : RealFormula<1> {
  static constexpr Sign sign = Sign::positive;
  bool lessens_by_infinity;
  Named named;
  template <class R>
  auto operator()(const Row<R>& x) const {
    const R most = named("the greatest element", greatest(x)),
            shift = lessens_by_infinity || is_finite(most) ? most : R(0.0);
    const auto powers = keep(map(x, [=](const R& a) { return exp(a - shift); }));
    const R s = named("the sum of e^(x - greatest)", sum(powers));
    return map(powers, [=](const R& a) { return a / s; });
  }
  std::optional<double> special(double most, double a) const {
    if (std::isfinite(most)) return a == -HUGE_VAL ? std::optional(0.0) : std::nullopt;
    const bool is_below = most == HUGE_VAL && a < most && !lessens_by_infinity;
    return is_below ? 0 : std::numeric_limits<double>::quiet_NaN();
  }
};

std::vector<Value> kernel(const Call& call, std::span<const Output> outs) {
  return each_slice(call, outs, Softmax{{}, has_nan_rows(call), Named(outs[0])});
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
}  // namespace opref::ops::onnx
