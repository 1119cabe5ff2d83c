// SPDX-License-Identifier: Apache-2.0
// ai.onnx Round, versions 11, 22
// https://onnx.ai/onnx/operators/onnx__Round.html
#include "ops/operator_file.h"
namespace opref::ops::onnx::file_round {
namespace {
// the nearest integer, of two the even one, with the sign of x where it is 0
struct Round : RealFormula<1> {
  static constexpr bool one_operation = true;
  template <class R>
  OPREF_INLINE R operator()(const R& x) const {
    return round(x);
  }
};
}  // namespace
Operator round() {
  return unary_until_22("Round", 11, "X", "Y")
      .summary("the nearest integer, of two the even one")
      .kernel(each_element<Round>);
}
}  // namespace opref::ops::onnx::file_round
