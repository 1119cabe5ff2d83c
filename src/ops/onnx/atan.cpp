// SPDX-License-Identifier: Apache-2.0
// ai.onnx Atan, versions 7, 22
// https://onnx.ai/onnx/operators/onnx__Atan.html
#include "ops/operator_file.h"
namespace opref::ops::onnx::file_atan {
namespace {
// the angle in [-π/2, π/2] whose tangent is x
struct Atan : RealFormula<1> {
  static constexpr Sign sign = Sign::as_input;
  template <class R>
  OPREF_INLINE R operator()(const R& x) const {
    return atan(x);
  }
};
}  // namespace
Operator atan() {
  return unary_until_22("Atan", 7).summary("the angle whose tangent is each element").kernel(each_element<Atan>);
}
}  // namespace opref::ops::onnx::file_atan
