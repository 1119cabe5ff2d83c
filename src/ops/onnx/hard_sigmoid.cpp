// SPDX-License-Identifier: Apache-2.0
// ai.onnx HardSigmoid, versions 1, 6, 22
// https://onnx.ai/onnx/operators/onnx__HardSigmoid.html
#include "ops/operator_file.h"
namespace opref::ops::onnx::file_hard_sigmoid {
namespace {
// max(0, min(1, alpha·x + beta))
struct HardSigmoid : RealFormula<1> {
  double alpha, beta;
  explicit HardSigmoid(const Call& call) : alpha(call.number("alpha")), beta(call.number("beta")) {}
  template <class R>
  OPREF_INLINE R operator()(const R& x) const {
    return ops::hard_sigmoid(x, R(alpha), R(beta));
  }
};

void version_1(OpSchema& s) {
  s.attribute(with_default("alpha", 0.2F)).attribute(with_default("beta", 0.5F));
  s.input("X", "T").output("Y", "T").types("T", types::floats);
  with_consumed_inputs(s);
}
}  // namespace
Operator hard_sigmoid() {
  return Operator("ai.onnx", "HardSigmoid")
      .summary("alpha·x + beta of each element, between 0 and 1")
      .version(1, version_1)
      .version(6, without_consumed_inputs)
      .version(22, adds("T", DType::bfloat16))
      .output_types(same_type)
      .kernel(each_element<HardSigmoid>);
}
}  // namespace opref::ops::onnx::file_hard_sigmoid
