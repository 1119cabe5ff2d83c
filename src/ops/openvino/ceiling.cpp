// SPDX-License-Identifier: Apache-2.0
// openvino Ceiling, version 1 (opset1)
#include "ops/operator_file.h"
#include "ops/shared/openvino.h"
namespace opref::ops::openvino::file_ceiling {
namespace {
// the least integer >= x, with the sign of x where it is 0
struct Ceiling : RealFormula<1> {
  static constexpr bool one_operation = true;
  template <class R>
  OPREF_INLINE R operator()(const R& x) const {
    return ceil(x);
  }
};
}  // namespace
Operator ceiling() {
  return Operator("openvino", "Ceiling")
      .summary("the least integer that is not below each element")
      .page("arithmetic/ceiling-1")
      .category("category arithmetic unary")
      .version(1, [](OpSchema& s) { s.input("arg", "T").output("output0", "T").types("T", computed_numbers); })
      .output_types(same_type)
      .kernel(each_float<Ceiling>);
}
}  // namespace opref::ops::openvino::file_ceiling
