// SPDX-License-Identifier: Apache-2.0
// ai.onnx Asin, versions 7, 22
// https://onnx.ai/onnx/operators/onnx__Asin.html
#include "ops/operator_file.h"
namespace opref::ops::onnx::file_asin {
namespace {
// the angle in [-π/2, π/2] whose sine is x; NaN outside [-1, 1]
struct Asin : RealFormula<1> {
  static constexpr Sign sign = Sign::as_input;
  template <class R>
  OPREF_INLINE R operator()(const R& x) const {
    return asin(x);
  }
};
}  // namespace
Operator asin() {
  return unary_until_22("Asin", 7).summary("the angle whose sine is each element").kernel(each_element<Asin>);
}
}  // namespace opref::ops::onnx::file_asin
