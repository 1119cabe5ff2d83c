// SPDX-License-Identifier: Apache-2.0
// ai.onnx Gelu, version 20
// https://onnx.ai/onnx/operators/onnx__Gelu.html
#include "ops/operator_file.h"
#include "ops/shared/gelus.h"
namespace opref::ops::onnx::file_gelu {
namespace {
struct Gelu : RealFormula<1> {
  static constexpr Sign sign = Sign::as_input;
  template <class R>
  OPREF_INLINE R operator()(const R& x) const {
    return ops::gelu(x);
  }
};

struct GeluByTanh : RealFormula<1> {
  static constexpr Sign sign = Sign::as_input;
  double c_over, c_under;  ///< 0.044715 as a fraction, or the float32 nearest to it
  explicit GeluByTanh(const Call& call)
      : c_over(call.reads("gelu.coefficient", "float32") ? widen(0.044715F) * 1e6 : 44715.0), c_under(1e6) {}
  template <class R>
  OPREF_INLINE R operator()(const R& x) const {
    return gelu_by_tanh(x, R(c_over) / R(c_under));
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
}  // namespace opref::ops::onnx::file_gelu
