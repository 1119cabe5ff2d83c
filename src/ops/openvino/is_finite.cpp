// SPDX-License-Identifier: Apache-2.0
// openvino IsFinite, version 10 (opset10)
#include "ops/operator_file.h"
#include "ops/shared/openvino.h"
namespace opref::ops::openvino::file_is_finite {
namespace {
// neither infinite nor NaN, which is less than nothing
struct IsFinite : RealFormula<1> {
  static constexpr bool one_operation = true;
  template <class R>
  OPREF_INLINE Truth operator()(const R& x) const {
    return (x < R(HUGE_VAL)) & (R(-HUGE_VAL) < x);
  }
};
}  // namespace
Operator is_finite() {
  return Operator("openvino", "IsFinite")
      .summary("whether elements are neither NaN nor infinite")
      .page("comparison/isfinite-10")
      .version(10, [](OpSchema& s) { s.input("data", "T").output("out", "bool").types("T", computed_floats); })
      .output_types(truth_of_each)
      .kernel(each_element<IsFinite>);
}
}  // namespace opref::ops::openvino::file_is_finite
