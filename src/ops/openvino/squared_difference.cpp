// SPDX-License-Identifier: Apache-2.0
// openvino SquaredDifference, version 1 (opset1)
#include "ops/operator_file.h"
#include "ops/shared/openvino.h"
namespace opref::ops::openvino::file_squared_difference {
namespace {
// (x1 - x2)²;  integers wrap
struct SquaredDifference : RealFormula<2> {
  static constexpr bool integers = true;
  template <class R>
  OPREF_INLINE R operator()(const R& a, const R& b) const {
    const R d = a - b;
    return d * d;
  }
};

std::vector<Value> kernel(const Call& call, std::span<const Output> outs) {
  return {elementwise(outs[0], auto_broadcast_operands(call), SquaredDifference{})};
}
}  // namespace
Operator squared_difference() {
  return openvino_arithmetic("SquaredDifference", "x1", "x2")
      .summary("(x1 - x2)², element by element")
      .page("arithmetic/squared-difference-1")
      .category("category arithmetic binary")
      .output_types(auto_broadcast_types)
      .kernel(kernel);
}
}  // namespace opref::ops::openvino::file_squared_difference
