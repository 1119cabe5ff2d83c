// SPDX-License-Identifier: Apache-2.0
// ai.onnx IsNaN, versions 9, 13, 20
// https://onnx.ai/onnx/operators/onnx__IsNaN.html
#include "ops/operator_file.h"
namespace opref::ops::onnx::file_is_nan {
namespace {
struct IsNan : RealFormula<1> {
  static constexpr bool one_operation = true;
  template <class R>
  OPREF_INLINE Truth operator()(const R& x) const {
    return is_nan(x);
  }
};

void version_9(OpSchema& s) {
  s.input("X", "T1").output("Y", "T2").types("T1", types::floats).types("T2", DType::boolean);
}
}  // namespace
Operator is_nan() {
  return Operator("ai.onnx", "IsNaN")
      .summary("whether elements are NaN")
      .version(9, version_9)
      .version(13, adds("T1", DType::bfloat16))
      .version(20, adds("T1", types::float8))
      .output_types(truth_of_each)
      .kernel(each_element<IsNan>);
}
}  // namespace opref::ops::onnx::file_is_nan
