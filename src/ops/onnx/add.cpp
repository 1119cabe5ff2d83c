// SPDX-License-Identifier: Apache-2.0
// ai.onnx Add, versions 1, 6, 7, 13, 14
// https://onnx.ai/onnx/operators/onnx__Add.html
#include "ops/operator_file.h"
namespace opref::ops::onnx::file_add {
namespace {
// C = A + B;  integers wrap
struct Sum : RealFormula<2> {
  static constexpr bool one_operation = true, integers = true, is_sum = true;
  template <class R>
  OPREF_INLINE R operator()(const R& a, const R& b) const {
    return a + b;
  }
};
}  // namespace
Operator add() { return arithmetic("Add").summary("A + B, element by element").kernel(each_pair<Sum>); }
}  // namespace opref::ops::onnx::file_add
