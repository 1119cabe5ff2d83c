// SPDX-License-Identifier: Apache-2.0
// ai.onnx Floor, versions 1, 6, 13
// https://onnx.ai/onnx/operators/onnx__Floor.html
#include "ops/operator_file.h"
namespace opref::ops::onnx::file_floor {
namespace {
// the greatest integer <= x, with the sign of x where it is 0
struct Floor : RealFormula<1> {
  static constexpr bool one_operation = true;
  template <class R>
  OPREF_INLINE R operator()(const R& x) const {
    return floor(x);
  }
};
}  // namespace
Operator floor() {
  return unary_since_1("Floor", "X", "Y")
      .summary("the greatest integer that is not above each element")
      .kernel(each_element<Floor>);
}
}  // namespace opref::ops::onnx::file_floor
