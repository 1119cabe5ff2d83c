// SPDX-License-Identifier: Apache-2.0
// ai.onnx Elu, versions 1, 6, 22
// https://onnx.ai/onnx/operators/onnx__Elu.html
#include "ops/operator_file.h"
namespace opref::ops::onnx::file_elu {
namespace {
// alpha·(e^x - 1) for x < 0, x for x >= 0
struct Elu : RealFormula<1> {
  double alpha;
  explicit Elu(const Call& call) : alpha(call.number("alpha")) {}
  template <class R>
  OPREF_INLINE R operator()(const R& x) const {
    return ops::elu(x, R(alpha));
  }
};

void version_1(OpSchema& s) {
  s.attribute(with_default("alpha", 1.0F)).input("X", "T").output("Y", "T").types("T", types::floats);
  with_consumed_inputs(s);
}
}  // namespace
Operator elu() {
  return Operator("ai.onnx", "Elu")
      .summary("x, but alpha·(e^x - 1) where that is below 0")
      .version(1, version_1)
      .version(6, without_consumed_inputs)
      .version(22, adds("T", DType::bfloat16))
      .output_types(same_type)
      .kernel(each_element<Elu>);
}
}  // namespace opref::ops::onnx::file_elu
