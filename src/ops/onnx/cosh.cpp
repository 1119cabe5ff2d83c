// SPDX-License-Identifier: Apache-2.0
// ai.onnx Cosh, versions 9, 22
// https://onnx.ai/onnx/operators/onnx__Cosh.html
#include "ops/operator_file.h"
namespace opref::ops::onnx::file_cosh {
namespace {
// (e^x + e^-x)/2
struct Cosh : RealFormula<1> {
  static constexpr Sign sign = Sign::positive;
  template <class R>
  OPREF_INLINE R operator()(const R& x) const {
    return cosh(x);
  }
};
}  // namespace
Operator cosh() {
  return unary_until_22("Cosh", 9).summary("the hyperbolic cosine of each element").kernel(each_element<Cosh>);
}
}  // namespace opref::ops::onnx::file_cosh
