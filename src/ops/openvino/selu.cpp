// SPDX-License-Identifier: Apache-2.0
// openvino Selu, version 1 (opset1)
#include "ops/operator_file.h"
#include "ops/shared/openvino.h"
namespace opref::ops::openvino::file_selu {
namespace {
// lambda·alpha·(e^x - 1) for x < 0, lambda·x for x > 0; of ±0 +0, by the reading lambda·x
struct Selu : RealFormula<3> {
  double zero;
  template <class R>
  OPREF_INLINE R operator()(const R& x, const R& alpha, const R& lambda) const {
    const R curve = lambda * (alpha * expm1(x)), line = lambda * (x + R(zero));
    return choose(
        x < R(0.0), [&] { return curve; }, [&] { return line; });
  }
};

std::vector<ValueType> output_types(const Call& call) {
  for (const std::string_view parameter : {"alpha", "lambda"})
    require(element_count(call.type(parameter).shape) == 1, "{} has shape {}, but must have one element", parameter,
            call.type(parameter).shape);
  return same_type(call);
}

std::vector<Value> kernel(const Call& call, std::span<const Output> outs) {
  const std::array operands{call.input("data"), call.input("alpha").reshaped({}), call.input("lambda").reshaped({})};
  return {elementwise(outs[0], operands, Selu{{}, call.reads("selu.zero", "keep") ? -0.0 : 0.0})};
}
}  // namespace
Operator selu() {
  return Operator("openvino", "Selu")
      .summary("lambda·x, but lambda·alpha·(e^x - 1) where x is below 0")
      .page("activation/selu-1")
      .category("category activation function")
      .version(1,
               [](OpSchema& s) {
                 s.input("data", "T")
                     .input("alpha", "T")
                     .input("lambda", "T")
                     .output("output0", "T")
                     .types("T", computed_floats);
               })
      .reading({.name = "selu.zero",
                .alternatives = {"formula: of -0 it is lambda·alpha·(e^-0 - 1), so +0", "keep: of -0 it is lambda·-0"},
                .defaults = {{1, "formula"}},
                .reason = "the page: lambda·(alpha·e^x - alpha) for x <= 0",
                .may_change_values = [](const Call& call) { return has_element(call, is_negative_zero); }})
      .output_types(output_types)
      .kernel(kernel);
}
}  // namespace opref::ops::openvino::file_selu
