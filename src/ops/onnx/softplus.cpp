// SPDX-License-Identifier: Apache-2.0
// ai.onnx Softplus, versions 1, 22
// https://onnx.ai/onnx/operators/onnx__Softplus.html
#include "ops/operator_file.h"
namespace opref::ops::onnx::file_softplus {
namespace {
// ln(e^x + 1)
struct Softplus : RealFormula<1> {
  static constexpr Sign sign = Sign::positive;
  template <class R>
  OPREF_INLINE R operator()(const R& x) const {
    return ops::softplus(x);
  }
};
}  // namespace
Operator softplus() {
  return unary_until_22("Softplus", 1, "X", "Y").summary("ln(e^x + 1) of each element").kernel(each_element<Softplus>);
}
}  // namespace opref::ops::onnx::file_softplus
