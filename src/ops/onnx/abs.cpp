// SPDX-License-Identifier: Apache-2.0
// ai.onnx Abs, versions 1, 6, 13
// https://onnx.ai/onnx/operators/onnx__Abs.html
#include "ops/common/unary.h"

namespace opref::ops::onnx {
namespace {

// |x|;  of integers modulo 2^bits: the least one of a signed type stays
struct Abs : RealFormula<1> {
  static constexpr bool one_operation = true, integers = true;
  template <class R>
  OPREF_INLINE R operator()(const R& x) const {
    return abs(x);
  }
};

void version_6(OpSchema& s) {
  without_consumed_inputs(s);
  s.add_types("T", types::integers);
}

}  // namespace

Operator abs() {
  return Operator("ai.onnx", "Abs")
      .summary("|x| of each element")
      .version(
          1, [](OpSchema& s) { s.input("X", "T").output("Y", "T").types("T", types::floats), with_consumed_inputs(s); })
      .version(6, version_6)
      .version(13, adds("T", DType::bfloat16))
      .output_types(same_type)
      .kernel(each_element<Abs>);
}

}  // namespace opref::ops::onnx
