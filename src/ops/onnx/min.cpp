// SPDX-License-Identifier: Apache-2.0
// ai.onnx Min, versions 1, 6, 8, 12, 13
// https://onnx.ai/onnx/operators/onnx__Min.html
#include "ops/operator_file.h"
namespace opref::ops::onnx::file_min {
namespace {
// min = the least of the inputs' elements: NaN wins, +0 is above -0
struct Lesser : RealFormula<2> {
  static constexpr bool one_operation = true, integers = true;
  template <class R>
  OPREF_INLINE R operator()(const R& a, const R& b) const {
    return min(a, b);
  }
};

std::vector<Value> kernel(const Call& call, std::span<const Output> outs) {
  return {folded(outs[0], call.tensors(), Lesser{})};
}
}  // namespace
Operator min() {
  return variadic("Min", "min", Integers12::yes).summary("the least of the inputs, element by element").kernel(kernel);
}
}  // namespace opref::ops::onnx::file_min
