// SPDX-License-Identifier: Apache-2.0
// ai.onnx Sigmoid, versions 1, 6, 13
// https://onnx.ai/onnx/operators/onnx__Sigmoid.html
#include "ops/operator_file.h"
namespace opref::ops::onnx::file_sigmoid {
namespace {
// 1/(1 + e^-x)
struct Sigmoid : RealFormula<1> {
  static constexpr Sign sign = Sign::positive;
  static constexpr double greatest = 1;
  template <class R>
  OPREF_INLINE R operator()(const R& x) const {
    return ops::sigmoid(x);
  }
};
}  // namespace
Operator sigmoid() {
  return unary_since_1("Sigmoid", "X", "Y").summary("1/(1 + e^-x) of each element").kernel(each_element<Sigmoid>);
}
}  // namespace opref::ops::onnx::file_sigmoid
