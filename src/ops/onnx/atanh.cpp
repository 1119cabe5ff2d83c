// SPDX-License-Identifier: Apache-2.0
// ai.onnx Atanh, versions 9, 22
// https://onnx.ai/onnx/operators/onnx__Atanh.html
#include "ops/operator_file.h"
namespace opref::ops::onnx::file_atanh {
namespace {
// the number whose hyperbolic tangent is x; ±Inf at ±1, NaN beyond
struct Atanh : RealFormula<1> {
  static constexpr Sign sign = Sign::as_input;
  template <class R>
  OPREF_INLINE R operator()(const R& x) const {
    return atanh(x);
  }
};
}  // namespace
Operator atanh() {
  return unary_until_22("Atanh", 9)
      .summary("the inverse hyperbolic tangent of each element")
      .kernel(each_element<Atanh>);
}
}  // namespace opref::ops::onnx::file_atanh
