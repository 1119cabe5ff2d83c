// SPDX-License-Identifier: Apache-2.0
// ai.onnx Celu, versions 12, 28
// https://onnx.ai/onnx/operators/onnx__Celu.html
#include "ops/operator_file.h"
namespace opref::ops::onnx::file_celu {
namespace {
// max(0, x) + min(0, alpha·(e^(x/alpha) - 1)), of which one is 0 where alpha is a number other than 0
struct Celu : RealFormula<1> {
  double alpha, side, zero;  ///< curved where side·x < 0; zero is added elsewhere, so that -0 is kept or is not
  explicit Celu(const Call& call)
      : alpha(call.number("alpha")),
        side(alpha < 0 && call.reads("celu.negative_alpha", "body") ? -1 : 1),
        zero(side < 0 || call.reads("celu.negative_zero", "keep") ? -0.0 : 0.0) {}
  template <class R>
  OPREF_INLINE R operator()(const R& x) const {
    const R curve = R(alpha) * expm1(x / R(alpha)), line = x + R(zero);
    return choose(
        R(side) * x < R(0.0), [&] { return curve; }, [&] { return line; });
  }
};
struct OfOddAlpha : RealFormula<1> {
  double alpha;
  template <class R>
  OPREF_INLINE R operator()(const R& x) const {
    return max(R(0.0), x) + min(R(0.0), R(alpha) * expm1(x / R(alpha)));
  }
};

std::vector<Value> kernel(const Call& call, std::span<const Output> outs) {
  const double alpha = call.number("alpha");
  if (alpha != 0 && std::isfinite(alpha)) return each_element<Celu>(call, outs);
  return {elementwise(outs[0], std::array{call.input("X")}, OfOddAlpha{{}, alpha})};
}

void version_12(OpSchema& s) {
  s.attribute(with_default("alpha", 1.0F)).input("X", "T").output("Y", "T").types("T", DType::float32);
}
}  // namespace
Operator celu() {
  return Operator("ai.onnx", "Celu")
      .summary("x, but alpha·(e^(x/alpha) - 1) where that is below 0")
      .version(12, version_12)
      .version(28, adds("T", {DType::float16, DType::float64, DType::bfloat16}))
      .reading({.name = "celu.negative_zero",
                .alternatives = {"positive: of -0 it is +0", "keep: of -0 it is -0"},
                .defaults = {{12, "positive"}},
                .reason = "the text's max(0, x) + min(0, …) is +0 + -0; the function's body, alpha·Elu(x/alpha), is -0",
                .may_change_values = [](const Call& call) { return has_element(call, is_negative_zero); }})
      .reading({.name = "celu.negative_alpha",
                .alternatives = {"formula: the text's, curved for x < 0", "body: the function's, curved for x > 0"},
                .defaults = {{12, "formula"}},
                .reason = "the text; alpha·Elu(x/alpha) is another function where alpha < 0",
                .may_change_values = [](const Call& call) { return call.number("alpha") < 0; }})
      .output_types(same_type)
      .kernel(kernel);
}
}  // namespace opref::ops::onnx::file_celu
