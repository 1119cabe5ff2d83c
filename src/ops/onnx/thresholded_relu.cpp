// SPDX-License-Identifier: Apache-2.0
// ai.onnx ThresholdedRelu, versions 10, 22
// https://onnx.ai/onnx/operators/onnx__ThresholdedRelu.html
#include "ops/operator_file.h"
namespace opref::ops::onnx::file_thresholded_relu {
namespace {
// x for x > alpha, else 0, so also of NaN
struct ThresholdedRelu : RealFormula<1> {
  static constexpr bool one_operation = true;
  double alpha;
  explicit ThresholdedRelu(const Call& call) : alpha(call.number("alpha")) {}
  template <class R>
  OPREF_INLINE R operator()(const R& x) const {
    return choose(
        R(alpha) < x, [&] { return x; }, [] { return R(0.0); });
  }
};

void version_10(OpSchema& s) {
  s.attribute(with_default("alpha", 1.0F)).input("X", "T").output("Y", "T").types("T", types::floats);
}
}  // namespace
Operator thresholded_relu() {
  return Operator("ai.onnx", "ThresholdedRelu")
      .summary("x where it is above alpha, else 0")
      .version(10, version_10)
      .version(22, adds("T", DType::bfloat16))
      .output_types(same_type)
      .kernel(each_element<ThresholdedRelu>);
}
}  // namespace opref::ops::onnx::file_thresholded_relu
