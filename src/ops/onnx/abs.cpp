// SPDX-License-Identifier: Apache-2.0
// ai.onnx Abs, versions 1, 6, 13
// https://onnx.ai/onnx/operators/onnx__Abs.html
#include "ops/operator_file.h"
namespace opref::ops::onnx::file_abs {
namespace {
// |x|;  of integers modulo 2^bits: the least one of a signed type stays
struct Abs : RealFormula<1> {
  static constexpr bool one_operation = true, integers = true;
  template <class R>
  OPREF_INLINE R operator()(const R& x) const {
    return abs(x);
  }
};
}  // namespace
Operator abs() {
  return unary_with_integers("Abs", types::integers).summary("|x| of each element").kernel(each_element<Abs>);
}
}  // namespace opref::ops::onnx::file_abs
