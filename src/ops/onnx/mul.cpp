// SPDX-License-Identifier: Apache-2.0
// ai.onnx Mul, versions 1, 6, 7, 13, 14
// https://onnx.ai/onnx/operators/onnx__Mul.html
#include "ops/operator_file.h"
namespace opref::ops::onnx::file_mul {
namespace {
// C = A·B;  integers wrap
struct Product : RealFormula<2> {
  static constexpr bool one_operation = true, integers = true, is_told = true;
  template <class R>
  OPREF_INLINE R operator()(const R& a, const R& b) const {
    return a * b;
  }
};
}  // namespace
Operator mul() { return arithmetic("Mul").summary("A times B, element by element").kernel(each_pair<Product>); }
}  // namespace opref::ops::onnx::file_mul
