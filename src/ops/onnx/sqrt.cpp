// SPDX-License-Identifier: Apache-2.0
// ai.onnx Sqrt, versions 1, 6, 13
// https://onnx.ai/onnx/operators/onnx__Sqrt.html
#include "ops/operator_file.h"
namespace opref::ops::onnx::file_sqrt {
namespace {
// √x;  NaN below 0
struct Sqrt : RealFormula<1> {
  static constexpr bool one_operation = true, is_told = true;
  double zero;  ///< is added, so that -0 is kept or is not
  explicit Sqrt(const Call& call) : zero(call.reads("sqrt.negative_zero", "keep") ? -0.0 : 0.0) {}
  template <class R>
  OPREF_INLINE R operator()(const R& x) const {
    return sqrt(x) + R(zero);
  }
};
}  // namespace
Operator sqrt() {
  return unary_since_1("Sqrt", "X", "Y")
      .summary("the square root of each element")
      .reading({.name = "sqrt.negative_zero",
                .alternatives = {"keep: √-0 is -0", "positive: √-0 is +0, as (-0)^0.5"},
                .defaults = {{1, "keep"}},
                .reason = "the name; IEEE 754's squareRoot gives -0, and so do all backends; the text says x^0.5",
                .may_change_values = [](const Call& call) { return has_element(call, is_negative_zero); }})
      .kernel(each_element<Sqrt>);
}
}  // namespace opref::ops::onnx::file_sqrt
