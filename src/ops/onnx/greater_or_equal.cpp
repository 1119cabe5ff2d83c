// SPDX-License-Identifier: Apache-2.0
// ai.onnx GreaterOrEqual, versions 12, 16
// https://onnx.ai/onnx/operators/onnx__GreaterOrEqual.html
#include "ops/operator_file.h"
namespace opref::ops::onnx::file_greater_or_equal {
namespace {
// C = A >= B, that is A > B or A = B: false of NaN
struct IsAtLeast : RealFormula<2> {
  static constexpr bool one_operation = true, integers = true;
  template <class R>
  OPREF_INLINE Truth operator()(const R& a, const R& b) const {
    return b <= a;
  }
};
}  // namespace
Operator greater_or_equal() {
  return ordered_or_equal("GreaterOrEqual")
      .summary("whether elements of A are at least those of B")
      .kernel(each_pair<IsAtLeast>);
}
}  // namespace opref::ops::onnx::file_greater_or_equal
