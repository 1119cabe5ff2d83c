// SPDX-License-Identifier: Apache-2.0
// ai.onnx Or, versions 1, 7
// https://onnx.ai/onnx/operators/onnx__Or.html
#include "ops/operator_file.h"
namespace opref::ops::onnx::file_or_ {
namespace {
// C = A or B
struct Either : RealFormula<2> {
  static constexpr bool integers = true, is_real = false;
  template <class R>
  OPREF_INLINE R operator()(const R& a, const R& b) const {
    return a | b;
  }
};
}  // namespace
Operator or_() {
  return logical("Or").summary("whether one of the elements is true, or both are").kernel(each_pair<Either>);
}
}  // namespace opref::ops::onnx::file_or_
