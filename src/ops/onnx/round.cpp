// SPDX-License-Identifier: Apache-2.0
// ai.onnx Round, versions 11, 22
// https://onnx.ai/onnx/operators/onnx__Round.html
#include <cmath>

#include "ops/common/mistakes.h"
#include "ops/common/unary.h"

namespace opref::ops::onnx {
namespace {

// the nearest integer, of two the even one, with the sign of x where it is 0
struct Round : RealFormula<1> {
  static constexpr bool one_operation = true;
  template <class R>
  OPREF_INLINE R operator()(const R& x) const {
    return round(x);
  }
};

bool is_half(double x) { return std::abs(x - std::trunc(x)) == 0.5; }
double halves_away(double x) { return is_half(x) ? std::trunc(x) + std::copysign(1.0, x) : x; }
double halves_up(double x) { return is_half(x) ? std::ceil(x) : x; }

}  // namespace

Operator round() {
  return unary_until_22("Round", 11, "X", "Y")
      .summary("the nearest integer, of two the even one")
      .kernel(each_element<Round>)
      .mistake("halves away from zero", with_each<"X", halves_away>)
      .mistake("halves up", with_each<"X", halves_up>);
}

}  // namespace opref::ops::onnx
