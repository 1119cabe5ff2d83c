// SPDX-License-Identifier: Apache-2.0
// ai.onnx Gelu, version 20
// https://onnx.ai/onnx/operators/onnx__Gelu.html
#include "ops/operator_file.h"
namespace opref::ops::onnx {
namespace {
// x/2·(1 + erf(x/√2)), of which 1 + erf z = erfc(-z), without cancellation
struct Gelu : RealFormula<1> {
  static constexpr Sign sign = Sign::as_input;
  template <class R>
  OPREF_INLINE R operator()(const R& x) const {
    return x * erfc(-(x * sqrt(R(0.5)))) * R(0.5);
  }
};

// x/2·(1 + tanh(√(2/π)·(x + 0.044715·x³))), of which (1 + tanh z)/2 = 1/(1 + e^(-2z))
struct GeluByTanh : RealFormula<1> {
  static constexpr Sign sign = Sign::as_input;
  double c_over, c_under;  ///< 0.044715 as a fraction, or the float32 nearest to it
  explicit GeluByTanh(const Call& call)
      : c_over(call.reads("gelu.coefficient", "float32") ? widen(0.044715F) * 1e6 : 44715.0), c_under(1e6) {}
  template <class R>
  OPREF_INLINE R operator()(const R& x) const {
    const R c = R(c_over) / R(c_under);
    const R z = sqrt(R(8.0) / pi(x)) * (x * (R(1.0) + c * square(x)));
    const R t = exp(-abs(z));  // at most 1
    return x *
           choose(
               x < R(0.0), [&] { return t; }, [] { return R(1.0); }) /
           (R(1.0) + t);
  }
};

bool is_by_tanh(const Call& call) { return call.string("approximate") == "tanh"; }

std::vector<Value> kernel(const Call& call, std::span<const Output> outs) {
  return is_by_tanh(call) ? each_element<GeluByTanh>(call, outs) : each_element<Gelu>(call, outs);
}

void version_20(OpSchema& s) {
  s.attribute(with_default("approximate", "none", one_of({"none", "tanh"})));
  s.input("X", "T").output("Y", "T").types("T", types::floats | DType::bfloat16);
}
}  // namespace
Operator gelu() {
  return Operator("ai.onnx", "Gelu")
      .summary("x/2·(1 + erf(x/√2)); approximate by tanh: x/2·(1 + tanh(√(2/π)·(x + 0.044715·x³)))")
      .version(20, version_20)
      .reading({.name = "gelu.coefficient",
                .alternatives = {"decimal: 0.044715", "float32: the float32 nearest to it"},
                .defaults = {{20, "decimal"}},
                .reason = "the text has the decimal number; the function's body stores a float",
                .may_change_values = is_by_tanh})
      .output_types(same_type)
      .kernel(kernel);
}
}  // namespace opref::ops::onnx
