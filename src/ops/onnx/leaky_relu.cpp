// SPDX-License-Identifier: Apache-2.0
// ai.onnx LeakyRelu, versions 1, 6, 16
// https://onnx.ai/onnx/operators/onnx__LeakyRelu.html
#include "ops/operator_file.h"
namespace opref::ops::onnx::file_leaky_relu {
namespace {
// alpha·x for x < 0, x for x >= 0
struct LeakyRelu : RealFormula<1> {
  static constexpr bool one_operation = true, is_told = true;
  double alpha;
  explicit LeakyRelu(const Call& call) : alpha(call.number("alpha")) {}
  template <class R>
  OPREF_INLINE R operator()(const R& x) const {
    return ops::leaky_relu(x, R(alpha));
  }
};

void version_1(OpSchema& s) {
  s.attribute(with_default("alpha", 0.01F)).input("X", "T").output("Y", "T").types("T", types::floats);
  with_consumed_inputs(s);
}
}  // namespace
Operator leaky_relu() {
  return Operator("ai.onnx", "LeakyRelu")
      .summary("x, but alpha·x where that is below 0")
      .version(1, version_1)
      .version(6, without_consumed_inputs)
      .version(16, adds("T", DType::bfloat16))
      .output_types(same_type)
      .kernel(each_element<LeakyRelu>);
}
}  // namespace opref::ops::onnx::file_leaky_relu
