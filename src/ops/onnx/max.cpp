// SPDX-License-Identifier: Apache-2.0
// ai.onnx Max, versions 1, 6, 8, 12, 13
// https://onnx.ai/onnx/operators/onnx__Max.html
#include "ops/operator_file.h"
namespace opref::ops::onnx::file_max {
namespace {
// max = the greatest of the inputs' elements: NaN wins, +0 is above -0
struct Greater : RealFormula<2> {
  static constexpr bool one_operation = true, integers = true;
  template <class R>
  OPREF_INLINE R operator()(const R& a, const R& b) const {
    return max(a, b);
  }
};

std::vector<Value> kernel(const Call& call, std::span<const Output> outs) {
  return {folded(outs[0], call.tensors(), Greater{})};
}
}  // namespace
Operator max() {
  return variadic("Max", "max", Integers12::yes)
      .summary("the greatest of the inputs, element by element")
      .kernel(kernel);
}
}  // namespace opref::ops::onnx::file_max
