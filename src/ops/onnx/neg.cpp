// SPDX-License-Identifier: Apache-2.0
// ai.onnx Neg, versions 1, 6, 13
// https://onnx.ai/onnx/operators/onnx__Neg.html
#include "ops/operator_file.h"
namespace opref::ops::onnx::file_neg {
namespace {
// -x;  of integers modulo 2^bits: the least one stays
struct Neg : RealFormula<1> {
  static constexpr bool one_operation = true, integers = true;
  template <class R>
  OPREF_INLINE R operator()(const R& x) const {
    return -x;
  }
};
}  // namespace
Operator neg() {
  return unary_with_integers("Neg", types::signed_wide | Types{DType::int8, DType::int16})
      .summary("-x of each element")
      .kernel(each_element<Neg>);
}
}  // namespace opref::ops::onnx::file_neg
