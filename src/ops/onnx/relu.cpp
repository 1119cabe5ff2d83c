// SPDX-License-Identifier: Apache-2.0
// ai.onnx Relu, versions 1, 6, 13, 14
// https://onnx.ai/onnx/operators/onnx__Relu.html
#include "ops/operator_file.h"
namespace opref::ops::onnx::file_relu {
namespace {
struct Relu : RealFormula<1> {
  static constexpr bool one_operation = true, integers = true;
  template <class R>
  OPREF_INLINE R operator()(const R& x) const {
    return max(R(0.0), x);
  }
};
}  // namespace
Operator relu() {
  return unary_since_1("Relu", "X", "Y")
      .summary("max(0, x) of each element")
      .version(14, adds("T", Types{DType::int8, DType::int16, DType::int32, DType::int64}))
      .kernel(each_element<Relu>);
}
}  // namespace opref::ops::onnx::file_relu
