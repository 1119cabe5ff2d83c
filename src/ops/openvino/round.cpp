// SPDX-License-Identifier: Apache-2.0
// openvino Round, version 5 (opset5)
#include "ops/operator_file.h"
#include "ops/shared/openvino.h"
namespace opref::ops::openvino::file_round {
namespace {
// the nearest integer; of two the even one, or the one that is farther from 0
struct ToEven : RealFormula<1> {
  static constexpr bool one_operation = true;
  template <class R>
  OPREF_INLINE R operator()(const R& x) const {
    return round(x);
  }
};
struct AwayFromZero : RealFormula<1> {
  static constexpr bool one_operation = true;
  template <class R>
  OPREF_INLINE R operator()(const R& x) const {
    const R size = abs(x), below = floor(size), whole = select((size - below < R(0.5)).holds, below, below + R(1.0));
    return select((x < R(0.0)).holds, -whole, select((x == R(0.0)).holds, x, whole));
  }
};

std::vector<Value> kernel(const Call& call, std::span<const Output> outs) {
  return call.string("mode") == "half_to_even" ? each_float<ToEven>(call, outs) : each_float<AwayFromZero>(call, outs);
}
}  // namespace
Operator round() {
  return Operator("openvino", "Round")
      .summary("the nearest integer; of two the even one, or by mode the one farther from 0")
      .page("arithmetic/round-5")
      .category("category arithmetic unary")
      .version(5,
               [](OpSchema& s) {
                 s.attribute(with_default("mode", "half_to_even", one_of({"half_to_even", "half_away_from_zero"})));
                 s.input("arg", "T").output("output0", "T").types("T", computed_numbers);
               })
      .output_types(same_type)
      .kernel(kernel);
}
}  // namespace opref::ops::openvino::file_round
