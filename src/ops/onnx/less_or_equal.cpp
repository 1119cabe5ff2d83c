// SPDX-License-Identifier: Apache-2.0
// ai.onnx LessOrEqual, versions 12, 16
// https://onnx.ai/onnx/operators/onnx__LessOrEqual.html
#include "ops/operator_file.h"
namespace opref::ops::onnx::file_less_or_equal {
namespace {
// C = A <= B, that is A < B or A = B: false of NaN
struct IsAtMost : RealFormula<2> {
  static constexpr bool one_operation = true, integers = true;
  template <class R>
  OPREF_INLINE Truth operator()(const R& a, const R& b) const {
    return a <= b;
  }
};
}  // namespace
Operator less_or_equal() {
  return ordered_or_equal("LessOrEqual")
      .summary("whether elements of A are at most those of B")
      .kernel(each_pair<IsAtMost>);
}
}  // namespace opref::ops::onnx::file_less_or_equal
