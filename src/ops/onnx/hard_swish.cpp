// SPDX-License-Identifier: Apache-2.0
// ai.onnx HardSwish, versions 14, 22
// https://onnx.ai/onnx/operators/onnx__HardSwish.html
#include "ops/operator_file.h"
namespace opref::ops::onnx::file_hard_swish {
namespace {
// x·max(0, min(1, alpha·x + 0.5)) of alpha = 1/6: x·max(0, min(6, x + 3))/6
struct HardSwish : RealFormula<1> {
  static constexpr Sign sign = Sign::as_input;
  template <class R>
  OPREF_INLINE R operator()(const R& x) const {
    return x * (max(R(0.0), min(R(6.0), x + R(3.0))) / R(6.0));
  }
};
struct OfFloatAlpha : RealFormula<1> {
  static constexpr Sign sign = Sign::as_input;
  template <class R>
  OPREF_INLINE R operator()(const R& x) const {
    return x * ops::hard_sigmoid(x, R(widen(1.0F / 6)), R(0.5));
  }
};

std::vector<Value> kernel(const Call& call, std::span<const Output> outs) {
  const bool has_float_alpha = call.reads("hard_swish.alpha", "float32");
  return has_float_alpha ? each_element<OfFloatAlpha>(call, outs) : each_element<HardSwish>(call, outs);
}
}  // namespace
Operator hard_swish() {
  return unary_until_22("HardSwish", 14, "X", "Y")
      .summary("x·max(0, min(1, x/6 + 0.5)) of each element")
      .reading({.name = "hard_swish.alpha",
                .alternatives = {"exact: the fraction 1/6", "float32: the float32 nearest to it"},
                .defaults = {{14, "exact"}},
                .reason = "the text: \"alpha = 1/6 and beta = 0.5\"; the function's body stores a float",
                .may_change_values = [](const Call&) { return true; }})
      .kernel(kernel);
}
}  // namespace opref::ops::onnx::file_hard_swish
