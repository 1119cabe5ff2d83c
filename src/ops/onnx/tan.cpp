// SPDX-License-Identifier: Apache-2.0
// ai.onnx Tan, versions 7, 22
// https://onnx.ai/onnx/operators/onnx__Tan.html
#include "ops/operator_file.h"
namespace opref::ops::onnx::file_tan {
namespace {
// sin x / cos x; NaN of ±Inf
struct Tan : RealFormula<1> {
  template <class R>
  OPREF_INLINE R operator()(const R& x) const {
    return tan(x);
  }
};
}  // namespace
Operator tan() { return unary_until_22("Tan", 7).summary("the tangent of each element").kernel(each_element<Tan>); }
}  // namespace opref::ops::onnx::file_tan
