// SPDX-License-Identifier: Apache-2.0
// openvino Divide, version 1 (opset1)
#include "ops/operator_file.h"
#include "ops/shared/openvino.h"
namespace opref::ops::openvino::file_divide {
namespace {
// arg0/arg1, of integers truncated
struct Quotient : RealFormula<2> {
  static constexpr bool one_operation = true, integers = true, is_told = true;
  template <class R>
  OPREF_INLINE R operator()(const R& a, const R& b) const {
    return a / b;
  }
};
// of integers the greatest that is not above the quotient
struct FlooredQuotient : RealFormula<2> {
  static constexpr bool integers = true, is_real = false;
  template <class R>
  OPREF_INLINE R operator()(const R& a, const R& b) const {
    return (a - floor_mod(a, b)) / b;
  }
};

std::vector<Value> kernel(const Call& call, std::span<const Output> outs) {
  const std::vector<Tensor> operands = auto_broadcast_operands(call);
  require_divisors(outs[0], "arg1", operands[1]);
  if (!is_floating(outs[0].type().dtype) && call.flag("m_pythondiv"))
    return {elementwise(outs[0], operands, FlooredQuotient{})};
  return {elementwise(outs[0], operands, Quotient{})};
}
}  // namespace
Operator divide() {
  return openvino_arithmetic("Divide", "arg0", "arg1",
                             [](OpSchema& s) { s.attribute(with_default("m_pythondiv", 1, flag())); })
      .summary("arg0 divided by arg1, element by element")
      .page("arithmetic/divide-1")
      .category("category arithmetic binary")
      .output_types(auto_broadcast_types)
      .kernel(kernel);
}
}  // namespace opref::ops::openvino::file_divide
