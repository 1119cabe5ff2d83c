// SPDX-License-Identifier: Apache-2.0
// ai.onnx Div, versions 1, 6, 7, 13, 14
// https://onnx.ai/onnx/operators/onnx__Div.html
#include "ops/operator_file.h"
namespace opref::ops::onnx::file_div {
namespace {
// C = A/B;  of integers truncated, modulo 2^bits
struct Quotient : RealFormula<2> {
  static constexpr bool one_operation = true, integers = true, is_told = true;
  template <class R>
  OPREF_INLINE R operator()(const R& a, const R& b) const {
    return a / b;
  }
};

std::vector<Value> kernel(const Call& call, std::span<const Output> outs) {
  const std::vector<Tensor> operands = broadcast_operands(call);
  require_divisors(outs[0], "B", operands[1]);
  return {elementwise(outs[0], operands, Quotient{})};
}
}  // namespace
Operator div() { return arithmetic("Div").summary("A divided by B, element by element").kernel(kernel); }
}  // namespace opref::ops::onnx::file_div
