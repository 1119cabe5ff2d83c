// SPDX-License-Identifier: Apache-2.0
// openvino NotEqual, version 1 (opset1)
#include "ops/operator_file.h"
#include "ops/shared/openvino.h"
namespace opref::ops::openvino::file_not_equal {
namespace {
// -0 is +0, NaN differs from everything
struct Differs : RealFormula<2> {
  static constexpr bool one_operation = true, integers = true;
  template <class R>
  OPREF_INLINE Truth operator()(const R& a, const R& b) const {
    return !(a == b);
  }
};

std::vector<Value> kernel(const Call& call, std::span<const Output> outs) {
  return {elementwise(outs[0], auto_broadcast_operands(call), Differs{})};
}
}  // namespace
Operator not_equal() {
  return openvino_comparison("NotEqual")
      .summary("whether elements of arg0 and arg1 differ")
      .page("comparison/notequal-1")
      .category("category comparison binary")
      .output_types(auto_broadcast_types)
      .kernel(kernel);
}
}  // namespace opref::ops::openvino::file_not_equal
