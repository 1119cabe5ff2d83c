// SPDX-License-Identifier: Apache-2.0
// ai.onnx Tanh, versions 1, 6, 13
// https://onnx.ai/onnx/operators/onnx__Tanh.html
#include "ops/operator_file.h"
namespace opref::ops::onnx::file_tanh {
namespace {
// (e^x - e^-x)/(e^x + e^-x)
struct Tanh : RealFormula<1> {
  static constexpr Sign sign = Sign::as_input;
  static constexpr double greatest = 1;
  template <class R>
  OPREF_INLINE R operator()(const R& x) const {
    return tanh(x);
  }
};
}  // namespace
Operator tanh() {
  return unary_since_1("Tanh").summary("the hyperbolic tangent of each element").kernel(each_element<Tanh>);
}
}  // namespace opref::ops::onnx::file_tanh
