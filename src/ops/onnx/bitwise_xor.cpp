// SPDX-License-Identifier: Apache-2.0
// ai.onnx BitwiseXor, version 18
// https://onnx.ai/onnx/operators/onnx__BitwiseXor.html
#include "ops/operator_file.h"
namespace opref::ops::onnx::file_bitwise_xor {
namespace {
// C = A or B, but not both, bit by bit
struct OneOfBoth : RealFormula<2> {
  static constexpr bool integers = true, is_real = false;
  template <class R>
  OPREF_INLINE R operator()(const R& a, const R& b) const {
    return a ^ b;
  }
};
}  // namespace
Operator bitwise_xor() {
  return bitwise("BitwiseXor").summary("the bits in which the elements differ").kernel(each_pair<OneOfBoth>);
}
}  // namespace opref::ops::onnx::file_bitwise_xor
