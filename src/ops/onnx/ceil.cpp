// SPDX-License-Identifier: Apache-2.0
// ai.onnx Ceil, versions 1, 6, 13
// https://onnx.ai/onnx/operators/onnx__Ceil.html
#include "ops/operator_file.h"
namespace opref::ops::onnx::file_ceil {
namespace {
// the least integer >= x, with the sign of x where it is 0
struct Ceil : RealFormula<1> {
  static constexpr bool one_operation = true;
  template <class R>
  OPREF_INLINE R operator()(const R& x) const {
    return ceil(x);
  }
};
}  // namespace
Operator ceil() {
  return unary_since_1("Ceil", "X", "Y")
      .summary("the least integer that is not below each element")
      .kernel(each_element<Ceil>);
}
}  // namespace opref::ops::onnx::file_ceil
