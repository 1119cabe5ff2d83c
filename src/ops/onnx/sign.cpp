// SPDX-License-Identifier: Apache-2.0
// ai.onnx Sign, versions 9, 13
// https://onnx.ai/onnx/operators/onnx__Sign.html
#include "ops/operator_file.h"
namespace opref::ops::onnx::file_sign {
namespace {
// 1 for x > 0, -1 for x < 0, 0 for x = 0;  NaN of NaN
struct Sign : RealFormula<1> {
  static constexpr bool one_operation = true, integers = true;
  double zero;  ///< is added to x = 0, so that -0 is kept or is not
  explicit Sign(const Call& call) : zero(call.reads("sign.zero", "keep") ? -0.0 : 0.0) {}
  template <class R>
  OPREF_INLINE R operator()(const R& x) const {
    const auto not_above = [&] {
      return choose(
          x < R(0.0), [] { return R(-1.0); }, [&] { return x + R(zero); });
    };
    return choose(
        R(0.0) < x, [] { return R(1.0); }, not_above);
  }
};
// 0 of NaN
struct SignOfNumber : Sign {
  using Sign::Sign;
  template <class R>
  OPREF_INLINE R operator()(const R& x) const {
    return choose(
        x == x, [&] { return Sign::operator()(x); }, [] { return R(0.0); });
  }
};

std::vector<Value> kernel(const Call& call, std::span<const Output> outs) {
  const bool has_zero = call.reads("sign.nan", "zero");
  return has_zero ? each_element<SignOfNumber>(call, outs) : each_element<Sign>(call, outs);
}

void version_9(OpSchema& s) { s.input("input", "T").output("output", "T").types("T", types::numbers); }
}  // namespace
Operator sign() {
  return Operator("ai.onnx", "Sign")
      .summary("-1, 0 or 1 for each element")
      .version(9, version_9)
      .version(13, adds("T", DType::bfloat16))
      .reading({.name = "sign.zero",
                .alternatives = {"positive: of both zeros +0", "keep: of -0 it is -0"},
                .defaults = {{9, "positive"}},
                .reason = "the text: \"If input == 0, output 0\"; NumPy too",
                .may_change_values =
                    [](const Call& call) {
                      return is_floating(call.type("input").dtype) && has_element(call, is_negative_zero);
                    }})
      .reading(
          {.name = "sign.nan",
           .alternatives = {"nan: of NaN it is NaN", "zero: of NaN it is +0"},
           .defaults = {{9, "nan"}},
           .reason = "none of the text's three cases is NaN's; a comparison that fails leaves NaN",
           .may_change_values = [](const Call& call) { return has_element(call, [](double x) { return x != x; }); }})
      .output_types(same_type)
      .kernel(kernel);
}
}  // namespace opref::ops::onnx::file_sign
