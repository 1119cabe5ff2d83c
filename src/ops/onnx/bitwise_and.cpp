// SPDX-License-Identifier: Apache-2.0
// ai.onnx BitwiseAnd, version 18
// https://onnx.ai/onnx/operators/onnx__BitwiseAnd.html
#include "ops/operator_file.h"
namespace opref::ops::onnx::file_bitwise_and {
namespace {
// C = A and B, bit by bit
struct Both : RealFormula<2> {
  static constexpr bool integers = true, is_real = false;
  template <class R>
  OPREF_INLINE R operator()(const R& a, const R& b) const {
    return a & b;
  }
};
}  // namespace
Operator bitwise_and() {
  return bitwise("BitwiseAnd").summary("the bits that both elements have").kernel(each_pair<Both>);
}
}  // namespace opref::ops::onnx::file_bitwise_and
