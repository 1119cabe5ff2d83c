// SPDX-License-Identifier: Apache-2.0
// ai.onnx LogSoftmax, versions 1, 11, 13
// https://onnx.ai/onnx/operators/onnx__LogSoftmax.html
#include "ops/operator_file.h"
#include "ops/shared/normalization.h"
namespace opref::ops::onnx {
namespace {
// output = log(exp(input) / Σ exp(input)) over the elements of a slice = input - m - log(1 + Σ exp(input - m)), m being
// the greatest element, which is left out of the sum. What is not below m adds 1 to it, NaN makes it NaN.
struct LogSoftmax : RealFormula<1> {
  bool lessens_by_infinity;
  Named named;
  template <class R>
  auto operator()(const Row<R>& x) const {
    const R most = named("the greatest element", greatest(x)), zero(0.0), one(1.0);
    const bool lessens = lessens_by_infinity || is_finite(most);
    const auto below = map(x, [=](const R& a) {
      return choose(
          a < most, [&] { return exp(a - most); }, [&] { return zero; });
    });
    const auto equal = map(x, [=](const R& a) {
      return choose(
          a < most, [&] { return zero; }, [&] { return lessens ? exp(a - most) : one + one / a; });
    });
    const R others = named("the sum of e^(x - greatest) of the others", sum(below) + (sum(equal) - one));
    const R rest = log1p(others);
    return map(x, [=](const R& a) { return a - most - rest; });
  }
  std::optional<double> special(double most, double a) const {
    if (std::isfinite(most)) return a == -HUGE_VAL ? std::optional(a) : std::nullopt;
    const bool is_below = most == HUGE_VAL && a < most && !lessens_by_infinity;
    return is_below ? -most : std::numeric_limits<double>::quiet_NaN();
  }
};

std::vector<Value> kernel(const Call& call, std::span<const Output> outs) {
  return each_slice(call, outs, LogSoftmax{{}, has_nan_rows(call), Named(outs[0])});
}
}  // namespace
Operator log_softmax() {
  return softmax_operator("LogSoftmax")
      .summary("x - ln(sum of e^x along an axis), the logarithm of Softmax")
      .reading(plus_infinity_reading(1, "per_element: NaN at +Inf, -Inf elsewhere",
                                     "the formula gives NaN at +Inf and log(0) elsewhere; the function's body, which "
                                     "lessens by the greatest element, gives NaN everywhere"))
      .kernel(kernel);
}
}  // namespace opref::ops::onnx
