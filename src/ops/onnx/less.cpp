// SPDX-License-Identifier: Apache-2.0
// ai.onnx Less, versions 1, 7, 9, 13
// https://onnx.ai/onnx/operators/onnx__Less.html
#include "ops/operator_file.h"
namespace opref::ops::onnx::file_less {
namespace {
// C = A < B: NaN is less than nothing, and nothing than it
struct IsLess : RealFormula<2> {
  static constexpr bool one_operation = true, integers = true;
  template <class R>
  OPREF_INLINE Truth operator()(const R& a, const R& b) const {
    return a < b;
  }
};
}  // namespace
Operator less() {
  return ordered("Less").summary("whether elements of A are less than those of B").kernel(each_pair<IsLess>);
}
}  // namespace opref::ops::onnx::file_less
