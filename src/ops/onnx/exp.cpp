// SPDX-License-Identifier: Apache-2.0
// ai.onnx Exp, versions 1, 6, 13
// https://onnx.ai/onnx/operators/onnx__Exp.html
#include "ops/operator_file.h"
namespace opref::ops::onnx::file_exp {
namespace {
struct Exp : RealFormula<1> {
  static constexpr Sign sign = Sign::positive;
  template <class R>
  OPREF_INLINE R operator()(const R& x) const {
    return exp(x);
  }
};
}  // namespace
Operator exp() { return unary_since_1("Exp").summary("e^x of each element").kernel(each_element<Exp>); }
}  // namespace opref::ops::onnx::file_exp
