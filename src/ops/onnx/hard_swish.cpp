// SPDX-License-Identifier: Apache-2.0
// ai.onnx HardSwish, versions 14, 22
// https://onnx.ai/onnx/operators/onnx__HardSwish.html
#include "ops/operator_file.h"
namespace opref::ops::onnx {
namespace {
// x·max(0, min(1, alpha·x + 0.5)), alpha = 1/6
struct HardSwish : RealFormula<1> {
  static constexpr Sign sign = Sign::as_input;
  bool has_float_alpha;
  explicit HardSwish(const Call& call) : has_float_alpha(call.reads("hard_swish.alpha", "float32")) {}
  template <class R>
  OPREF_INLINE R operator()(const R& x) const {
    const R part = has_float_alpha ? R(widen(1.0F / 6)) * x : x / R(6.0);
    return x * max(R(0.0), min(R(1.0), part + R(0.5)));
  }
};
}  // namespace
Operator hard_swish() {
  return unary_until_22("HardSwish", 14, "X", "Y")
      .summary("x·max(0, min(1, x/6 + 0.5)) of each element")
      .reading({.name = "hard_swish.alpha",
                .alternatives = {"exact: the fraction 1/6", "float32: the float32 nearest to it"},
                .defaults = {{14, "exact"}},
                .reason = "the text: \"alpha = 1/6 and beta = 0.5\"; the function's body stores a float",
                .may_change_values = [](const Call&) { return true; }})
      .kernel(each_element<HardSwish>);
}
}  // namespace opref::ops::onnx
