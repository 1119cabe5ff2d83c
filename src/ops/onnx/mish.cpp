// SPDX-License-Identifier: Apache-2.0
// ai.onnx Mish, versions 18, 22
// https://onnx.ai/onnx/operators/onnx__Mish.html
#include "ops/operator_file.h"
namespace opref::ops::onnx::file_mish {
namespace {
// x·tanh(ln(1 + e^x)) = x·((1 + e^x)² - 1)/((1 + e^x)² + 1): with u = e^x, or e^-x where x >= 0,
// x·(u² + 2u)/(u² + 2u + 2), or x·(1 + 2u)/(1 + 2u + 2u²)
struct Mish : RealFormula<1> {
  static constexpr Sign sign = Sign::as_input;
  template <class R>
  OPREF_INLINE R operator()(const R& x) const {
    const R u = exp(-abs(x)), both = R(2.0) * u;
    const auto is_negative = x < R(0.0);
    const R over = choose(
        is_negative, [&] { return square(u) + both; }, [&] { return R(1.0) + both; });
    const R under = choose(
        is_negative, [&] { return square(u) + both + R(2.0); }, [&] { return R(1.0) + both + R(2.0) * square(u); });
    return x * over / under;
  }
};
}  // namespace
Operator mish() {
  return unary_until_22("Mish", 18, "X", "Y").summary("x·tanh(softplus(x)) of each element").kernel(each_element<Mish>);
}
}  // namespace opref::ops::onnx::file_mish
