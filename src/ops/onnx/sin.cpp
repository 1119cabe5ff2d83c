// SPDX-License-Identifier: Apache-2.0
// ai.onnx Sin, versions 7, 22
// https://onnx.ai/onnx/operators/onnx__Sin.html
#include "ops/operator_file.h"
namespace opref::ops::onnx::file_sin {
namespace {
// sin x; NaN of ±Inf
struct Sin : RealFormula<1> {
  static constexpr double greatest = 1;
  template <class R>
  OPREF_INLINE R operator()(const R& x) const {
    return sin(x);
  }
};
}  // namespace
Operator sin() { return unary_until_22("Sin", 7).summary("the sine of each element").kernel(each_element<Sin>); }
}  // namespace opref::ops::onnx::file_sin
