// SPDX-License-Identifier: Apache-2.0
// ai.onnx Sub, versions 1, 6, 7, 13, 14
// https://onnx.ai/onnx/operators/onnx__Sub.html
#include "ops/operator_file.h"
namespace opref::ops::onnx::file_sub {
namespace {
// C = A - B;  integers wrap
struct Difference : RealFormula<2> {
  static constexpr bool one_operation = true, integers = true, is_told = true;
  template <class R>
  OPREF_INLINE R operator()(const R& a, const R& b) const {
    return a - b;
  }
};
}  // namespace
Operator sub() { return arithmetic("Sub").summary("A - B, element by element").kernel(each_pair<Difference>); }
}  // namespace opref::ops::onnx::file_sub
