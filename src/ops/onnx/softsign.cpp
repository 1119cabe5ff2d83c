// SPDX-License-Identifier: Apache-2.0
// ai.onnx Softsign, versions 1, 22
// https://onnx.ai/onnx/operators/onnx__Softsign.html
#include "ops/operator_file.h"
namespace opref::ops::onnx::file_softsign {
namespace {
// x/(1 + |x|), so that ±Inf give NaN
struct Softsign : RealFormula<1> {
  static constexpr Sign sign = Sign::as_input;
  static constexpr double greatest = 1;
  template <class R>
  OPREF_INLINE R operator()(const R& x) const {
    return x / (R(1.0) + abs(x));
  }
};
}  // namespace
Operator softsign() {
  return unary_until_22("Softsign", 1).summary("x/(1 + |x|) of each element").kernel(each_element<Softsign>);
}
}  // namespace opref::ops::onnx::file_softsign
