// SPDX-License-Identifier: Apache-2.0
// ai.onnx BitwiseNot, version 18
// https://onnx.ai/onnx/operators/onnx__BitwiseNot.html
#include "ops/operator_file.h"
namespace opref::ops::onnx::file_bitwise_not {
namespace {
// Each bit of x the other way: x XOR -1
struct BitwiseNot : RealFormula<1> {
  static constexpr bool integers = true, is_real = false;
  template <class R>
  OPREF_INLINE R operator()(const R& x) const {
    return x ^ R(-1.0);
  }
};
}  // namespace
Operator bitwise_not() {
  return Operator("ai.onnx", "BitwiseNot")
      .summary("the other bits of each element")
      .version(18, [](OpSchema& s) { s.input("X", "T").output("Y", "T").types("T", types::integers); })
      .output_types(same_type)
      .kernel(each_element<BitwiseNot>);
}
}  // namespace opref::ops::onnx::file_bitwise_not
