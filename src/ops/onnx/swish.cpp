// SPDX-License-Identifier: Apache-2.0
// ai.onnx Swish, version 24
// https://onnx.ai/onnx/operators/onnx__Swish.html
#include "ops/operator_file.h"
namespace opref::ops::onnx::file_swish {
namespace {
// x·sigmoid(alpha·x)
struct Swish : RealFormula<1> {
  static constexpr Sign sign = Sign::as_input;
  double alpha;
  explicit Swish(const Call& call) : alpha(call.number("alpha")) {}
  template <class R>
  OPREF_INLINE R operator()(const R& x) const {
    return x * sigmoid(R(alpha) * x);
  }
};

void version_24(OpSchema& s) {
  s.attribute(with_default("alpha", 1.0F)).input("X", "T").output("Y", "T");
  s.types("T", types::floats | DType::bfloat16);
}
}  // namespace
Operator swish() {
  return Operator("ai.onnx", "Swish")
      .summary("x·sigmoid(alpha·x) of each element")
      .version(24, version_24)
      .output_types(same_type)
      .kernel(each_element<Swish>);
}
}  // namespace opref::ops::onnx::file_swish
