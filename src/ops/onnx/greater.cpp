// SPDX-License-Identifier: Apache-2.0
// ai.onnx Greater, versions 1, 7, 9, 13
// https://onnx.ai/onnx/operators/onnx__Greater.html
#include "ops/operator_file.h"
namespace opref::ops::onnx::file_greater {
namespace {
// C = A > B: NaN is greater than nothing, and nothing than it
struct IsGreater : RealFormula<2> {
  static constexpr bool one_operation = true, integers = true;
  template <class R>
  OPREF_INLINE Truth operator()(const R& a, const R& b) const {
    return b < a;
  }
};
}  // namespace
Operator greater() {
  return ordered("Greater").summary("whether elements of A are greater than those of B").kernel(each_pair<IsGreater>);
}
}  // namespace opref::ops::onnx::file_greater
