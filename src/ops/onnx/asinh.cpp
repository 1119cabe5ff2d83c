// SPDX-License-Identifier: Apache-2.0
// ai.onnx Asinh, versions 9, 22
// https://onnx.ai/onnx/operators/onnx__Asinh.html
#include "ops/operator_file.h"
namespace opref::ops::onnx::file_asinh {
namespace {
// the number whose hyperbolic sine is x
struct Asinh : RealFormula<1> {
  static constexpr Sign sign = Sign::as_input;
  template <class R>
  OPREF_INLINE R operator()(const R& x) const {
    return asinh(x);
  }
};
}  // namespace
Operator asinh() {
  return unary_until_22("Asinh", 9).summary("the inverse hyperbolic sine of each element").kernel(each_element<Asinh>);
}
}  // namespace opref::ops::onnx::file_asinh
