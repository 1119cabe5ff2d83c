// SPDX-License-Identifier: Apache-2.0
// ai.onnx Acosh, versions 9, 22
// https://onnx.ai/onnx/operators/onnx__Acosh.html
#include "ops/operator_file.h"
namespace opref::ops::onnx::file_acosh {
namespace {
// the number >= 0 whose hyperbolic cosine is x; NaN below 1
struct Acosh : RealFormula<1> {
  static constexpr Sign sign = Sign::positive;
  template <class R>
  OPREF_INLINE R operator()(const R& x) const {
    return acosh(x);
  }
};
}  // namespace
Operator acosh() {
  return unary_until_22("Acosh", 9)
      .summary("the inverse hyperbolic cosine of each element")
      .kernel(each_element<Acosh>);
}
}  // namespace opref::ops::onnx::file_acosh
