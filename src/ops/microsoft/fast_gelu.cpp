// SPDX-License-Identifier: Apache-2.0
// com.microsoft FastGelu, version 1
// https://github.com/microsoft/onnxruntime/blob/main/docs/ContribOperators.md#com.microsoft.FastGelu
#include "ops/operator_file.h"
#include "ops/shared/gelus.h"
namespace opref::ops::microsoft::file_fast_gelu {
namespace {
// x/2·(1 + tanh(√(2/π)·(x + 0.044715·x³)))
struct OfNumber : RealFormula<1> {
  static constexpr Sign sign = Sign::as_input;
  enum class Constants : std::uint8_t { exact, six_digits, float32 } constants;
  explicit OfNumber(const Call& call) : constants(call.reading_choice<Constants>("fast_gelu.constants")) {}
  template <class R>
  OPREF_INLINE R operator()(const R& x) const {
    const auto millionths = [](double n) { return R(n) / R(1e6); };
    if (constants == Constants::exact) return gelu_by_tanh(x, millionths(44715));
    if (constants == Constants::six_digits) return gelu_by_tanh(x, millionths(797885), millionths(35677));
    return gelu_by_tanh(x, R(widen(0.7978845608028654F)), R(widen(0.035677408136300125F)));
  }
};
// x = X + bias
struct OfSum : RealFormula<2> {
  OfNumber f;
  explicit OfSum(const Call& call) : f(call) {}
  template <class R>
  OPREF_INLINE R operator()(const R& X, const R& bias) const {
    return f(X + bias);
  }
};

std::vector<ValueType> output_types(const Call& call) {
  if (call.has("bias")) require_bias_of_last_axis(call, "X", "bias");
  return same_type(call);
}

std::vector<Value> kernel(const Call& call, std::span<const Output> outs) {
  return call.has("bias") ? each_pair<OfSum>(call, outs) : each_element<OfNumber>(call, outs);
}

void version_1(OpSchema& s) {
  s.input("X", "T").input("bias", "T", Arity::optional, "one number for each of the last axis of X").output("Y", "T");
  s.types("T", types::floats | DType::bfloat16);
}
}  // namespace
Operator fast_gelu() {
  return Operator("com.microsoft", "FastGelu")
      .summary("x/2·(1 + tanh(√(2/π)·(x + 0.044715·x³))) of each element x of X, or of X + bias")
      .version(1, version_1)
      .reading({.name = "fast_gelu.constants",
                .alternatives = {"exact: √(2/π) and 0.044715", "six_digits: x/2·(1 + tanh(0.797885·x + 0.035677·x³))",
                                 "float32: the same with the float32 numbers nearest to √(2/π) and √(2/π)·0.044715"},
                .defaults = {{1, "exact"}},
                .reason = "the page prints six digits of this formula; onnxruntime has float32 constants",
                .may_change_values = [](const Call&) { return true; }})
      .output_types(output_types)
      .kernel(kernel);
}
}  // namespace opref::ops::microsoft::file_fast_gelu
