// SPDX-License-Identifier: Apache-2.0
// ai.onnx Cos, versions 7, 22
// https://onnx.ai/onnx/operators/onnx__Cos.html
#include "ops/operator_file.h"
namespace opref::ops::onnx::file_cos {
namespace {
// cos x; NaN of ±Inf
struct Cos : RealFormula<1> {
  static constexpr double greatest = 1;
  template <class R>
  OPREF_INLINE R operator()(const R& x) const {
    return cos(x);
  }
};
}  // namespace
Operator cos() { return unary_until_22("Cos", 7).summary("the cosine of each element").kernel(each_element<Cos>); }
}  // namespace opref::ops::onnx::file_cos
