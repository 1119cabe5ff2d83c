// SPDX-License-Identifier: Apache-2.0
// ai.onnx Shrink, version 9
// https://onnx.ai/onnx/operators/onnx__Shrink.html
#include "ops/operator_file.h"
namespace opref::ops::onnx::file_shrink {
namespace {
// x + bias for x < -lambd, x - bias for x > lambd, else 0, so also of NaN.  Integers are compared and added as real
// numbers, and what comes out is truncated.
struct Shrink : RealFormula<1> {
  double bias, lambd;
  explicit Shrink(const Call& call) : bias(call.number("bias")), lambd(call.number("lambd")) {
    if (call.reads("shrink.integer", "attributes") && info(call.type("input").dtype).kind != Kind::floating)
      bias = std::trunc(bias), lambd = std::trunc(lambd);
  }
  template <class R>
  OPREF_INLINE R operator()(const R& x) const {
    const auto other = [&] {
      return choose(
          R(lambd) < x, [&] { return x - R(bias); }, [] { return R(0.0); });
    };
    return choose(
        x < R(-lambd), [&] { return x + R(bias); }, other);
  }
};

bool truncates(const Call& call) {
  return info(call.type("input").dtype).kind != Kind::floating &&
         (std::trunc(call.number("bias")) != call.number("bias") ||
          std::trunc(call.number("lambd")) != call.number("lambd"));
}

void version_9(OpSchema& s) {
  s.attribute(with_default("bias", 0.0F)).attribute(with_default("lambd", 0.5F));
  s.input("input", "T").output("output", "T").types("T", types::numbers);
}
}  // namespace
Operator shrink() {
  return Operator("ai.onnx", "Shrink")
      .summary("x - bias above lambd, x + bias below -lambd, else 0")
      .version(9, version_9)
      .reading({.name = "shrink.integer",
                .alternatives = {"result: the result is truncated", "attributes: bias and lambd are truncated first"},
                .defaults = {{9, "result"}},
                .reason = "the attributes are numbers of their own; the function's body casts them, and then cannot "
                          "negate an unsigned lambd",
                .may_change_values = truncates})
      .output_types(same_type)
      .kernel(each_element<Shrink>);
}
}  // namespace opref::ops::onnx::file_shrink
