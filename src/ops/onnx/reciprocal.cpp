// SPDX-License-Identifier: Apache-2.0
// ai.onnx Reciprocal, versions 1, 6, 13
// https://onnx.ai/onnx/operators/onnx__Reciprocal.html
#include "ops/operator_file.h"
namespace opref::ops::onnx::file_reciprocal {
namespace {
// 1/x; ±Inf of ±0
struct Reciprocal : RealFormula<1> {
  static constexpr bool one_operation = true, is_told = true;
  template <class R>
  OPREF_INLINE R operator()(const R& x) const {
    return R(1.0) / x;
  }
};
}  // namespace
Operator reciprocal() {
  return unary_since_1("Reciprocal", "X", "Y").summary("1/x of each element").kernel(each_element<Reciprocal>);
}
}  // namespace opref::ops::onnx::file_reciprocal
