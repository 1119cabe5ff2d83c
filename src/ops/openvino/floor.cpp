// SPDX-License-Identifier: Apache-2.0
// openvino Floor, version 1 (opset1)
#include "ops/operator_file.h"
#include "ops/shared/openvino.h"
namespace opref::ops::openvino::file_floor {
namespace {
// the greatest integer <= x, with the sign of x where it is 0
struct Floor : RealFormula<1> {
  static constexpr bool one_operation = true;
  template <class R>
  OPREF_INLINE R operator()(const R& x) const {
    return floor(x);
  }
};
}  // namespace
Operator floor() {
  return Operator("openvino", "Floor")
      .summary("the greatest integer that is not above each element")
      .page("arithmetic/floor-1")
      .category("category arithmetic unary")
      .version(1, [](OpSchema& s) { s.input("arg", "T").output("output0", "T").types("T", computed_numbers); })
      .output_types(same_type)
      .kernel(each_float<Floor>);
}
}  // namespace opref::ops::openvino::file_floor
