// SPDX-License-Identifier: Apache-2.0
// ai.onnx IsInf, versions 10, 20
// https://onnx.ai/onnx/operators/onnx__IsInf.html
#include "ops/operator_file.h"
namespace opref::ops::onnx::file_is_inf {
namespace {
// Whether X is infinite, of a sign that is asked for
struct IsInfinite : RealFormula<1> {
  static constexpr bool one_operation = true;
  double positive, negative;  ///< Inf and -Inf, or NaN, which equals nothing
  explicit IsInfinite(const Call& call)
      : positive(call.flag("detect_positive") ? HUGE_VAL : NAN),
        negative(call.flag("detect_negative") ? -HUGE_VAL : NAN) {}
  template <class R>
  OPREF_INLINE Truth operator()(const R& x) const {
    return (x == R(positive)) | (x == R(negative));
  }
};

void version_10(OpSchema& s) {
  s.attribute(with_default("detect_negative", 1, flag())).attribute(with_default("detect_positive", 1, flag()));
  s.input("X", "T1").output("Y", "T2").types("T1", {DType::float32, DType::float64}).types("T2", DType::boolean);
}
}  // namespace
Operator is_inf() {
  return Operator("ai.onnx", "IsInf")
      .summary("whether elements are infinite")
      .version(10, version_10)
      .version(20, adds("T1", types::float8 | Types{DType::float16, DType::bfloat16}))
      .output_types(truth_of_each)
      .kernel(each_element<IsInfinite>);
}
}  // namespace opref::ops::onnx::file_is_inf
