// SPDX-License-Identifier: Apache-2.0
// ai.onnx Sinh, versions 9, 22
// https://onnx.ai/onnx/operators/onnx__Sinh.html
#include "ops/operator_file.h"
namespace opref::ops::onnx::file_sinh {
namespace {
// (e^x - e^-x)/2
struct Sinh : RealFormula<1> {
  static constexpr Sign sign = Sign::as_input;
  template <class R>
  OPREF_INLINE R operator()(const R& x) const {
    return sinh(x);
  }
};
}  // namespace
Operator sinh() {
  return unary_until_22("Sinh", 9).summary("the hyperbolic sine of each element").kernel(each_element<Sinh>);
}
}  // namespace opref::ops::onnx::file_sinh
