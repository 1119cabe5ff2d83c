// SPDX-License-Identifier: Apache-2.0
// ai.onnx Xor, versions 1, 7
// https://onnx.ai/onnx/operators/onnx__Xor.html
#include "ops/operator_file.h"
namespace opref::ops::onnx::file_xor_ {
namespace {
// C = A or B, but not both
struct OneOfBoth : RealFormula<2> {
  static constexpr bool integers = true, is_real = false;
  template <class R>
  OPREF_INLINE R operator()(const R& a, const R& b) const {
    return a ^ b;
  }
};
}  // namespace
Operator xor_() {
  return logical("Xor")
      .summary("whether one of the elements is true and the other is not")
      .kernel(each_pair<OneOfBoth>);
}
}  // namespace opref::ops::onnx::file_xor_
