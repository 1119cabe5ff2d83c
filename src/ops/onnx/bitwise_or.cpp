// SPDX-License-Identifier: Apache-2.0
// ai.onnx BitwiseOr, version 18
// https://onnx.ai/onnx/operators/onnx__BitwiseOr.html
#include "ops/operator_file.h"
namespace opref::ops::onnx::file_bitwise_or {
namespace {
// C = A or B, bit by bit
struct Either : RealFormula<2> {
  static constexpr bool integers = true, is_real = false;
  template <class R>
  OPREF_INLINE R operator()(const R& a, const R& b) const {
    return a | b;
  }
};
}  // namespace
Operator bitwise_or() {
  return bitwise("BitwiseOr").summary("the bits that one of the elements has, or both have").kernel(each_pair<Either>);
}
}  // namespace opref::ops::onnx::file_bitwise_or
