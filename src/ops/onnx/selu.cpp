// SPDX-License-Identifier: Apache-2.0
// ai.onnx Selu, versions 1, 6, 22
// https://onnx.ai/onnx/operators/onnx__Selu.html
#include "ops/operator_file.h"
namespace opref::ops::onnx::file_selu {
namespace {
// gamma·(alpha·e^x - alpha) for x <= 0, gamma·x for x > 0
struct Selu : RealFormula<1> {
  double alpha, gamma, none, of_none;  ///< none is 0, but NaN where alpha is infinite; of_none is added to x = 0
  explicit Selu(const Call& call)
      : alpha(call.number("alpha")),
        gamma(call.number("gamma")),
        none(alpha - alpha),
        of_none(call.reads("selu.zero", "keep") ? -0.0 : none) {}
  template <class R>
  OPREF_INLINE R operator()(const R& x) const {
    const R curve = R(gamma) * (R(alpha) * expm1(x) + R(none)), line = R(gamma) * x;
    const R of_zero = R(gamma) * (x + R(of_none));
    const R other = choose(
        R(0.0) < x, [&] { return line; }, [&] { return of_zero; });
    return choose(
        x < R(0.0), [&] { return curve; }, [&] { return other; });
  }
};

void version_1(OpSchema& s) {
  s.attribute(with_default("alpha", 1.6732F)).attribute(with_default("gamma", 1.0507F));
  s.input("X", "T").output("Y", "T").types("T", types::floats);
  with_consumed_inputs(s);
}

void version_6(OpSchema& s) {
  without_consumed_inputs(s);
  s.change("alpha") = with_default("alpha", 1.67326319217681884765625F);
  s.change("gamma") = with_default("gamma", 1.05070102214813232421875F);
}
}  // namespace
Operator selu() {
  return Operator("ai.onnx", "Selu")
      .summary("gamma·x, but gamma·alpha·(e^x - 1) where x is below 0")
      .version(1, version_1)
      .version(6, version_6)
      .version(22, adds("T", DType::bfloat16))
      .reading({.name = "selu.zero",
                .alternatives = {"formula: of -0 it is gamma·(alpha - alpha), so +0", "keep: of -0 it is gamma·-0"},
                .defaults = {{1, "formula"}},
                .reason = "the text: \"gamma * (alpha * e^x - alpha) for x <= 0\"; the function's body asks x < 0",
                .may_change_values = [](const Call& call) { return has_element(call, is_negative_zero); }})
      .output_types(same_type)
      .kernel(each_element<Selu>);
}
}  // namespace opref::ops::onnx::file_selu
