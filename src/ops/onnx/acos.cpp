// SPDX-License-Identifier: Apache-2.0
// ai.onnx Acos, versions 7, 22
// https://onnx.ai/onnx/operators/onnx__Acos.html
#include "ops/operator_file.h"
namespace opref::ops::onnx::file_acos {
namespace {
// the angle in [0, π] whose cosine is x; NaN outside [-1, 1]
struct Acos : RealFormula<1> {
  static constexpr Sign sign = Sign::positive;
  template <class R>
  OPREF_INLINE R operator()(const R& x) const {
    return acos(x);
  }
};
}  // namespace
Operator acos() {
  return unary_until_22("Acos", 7).summary("the angle whose cosine is each element").kernel(each_element<Acos>);
}
}  // namespace opref::ops::onnx::file_acos
