// SPDX-License-Identifier: Apache-2.0
// ai.onnx Neg, versions 1, 6, 13
// https://onnx.ai/onnx/operators/onnx__Neg.html
#include "ops/common/unary.h"

namespace opref::ops::onnx {
namespace {

// -x;  of integers modulo 2^bits: the least one stays
struct Neg : RealFormula<1> {
  static constexpr bool one_operation = true, integers = true;
  template <class R>
  OPREF_INLINE R operator()(const R& x) const {
    return -x;
  }
};

void version_6(OpSchema& s) {
  without_consumed_inputs(s);
  s.add_types("T", types::signed_wide | Types{DType::int8, DType::int16});
}

}  // namespace

Operator neg() {
  return Operator("ai.onnx", "Neg")
      .summary("-x of each element")
      .version(
          1, [](OpSchema& s) { s.input("X", "T").output("Y", "T").types("T", types::floats), with_consumed_inputs(s); })
      .version(6, version_6)
      .version(13, adds("T", DType::bfloat16))
      .output_types(same_type)
      .kernel(each_element<Neg>);
}

}  // namespace opref::ops::onnx
