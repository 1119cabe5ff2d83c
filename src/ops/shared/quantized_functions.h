// SPDX-License-Identifier: Apache-2.0
// QLinearSigmoid and QLinearLeakyRelu of com.microsoft: a function of the number that an integer of 8 bits stands for.
#pragma once

#include <array>

#include "ops/shared/formulas.h"
#include "ops/shared/requantized.h"
namespace opref::ops {
// Y = saturate(nearest(f((X - X_zero_point)·X_scale) / Y_scale) + Y_zero_point); f is a formula of one number
template <class F>
struct QuantizedFunction : RealFormula<5> {
  F f;
  Requantizing how;
  template <class R>
  OPREF_INLINE R operator()(const R& X, const R& X_scale, const R& X_zero_point, const R& Y_scale,
                            const R& Y_zero_point) const {
    const R x = how.named("its number", how.real(X, X_scale, X_zero_point));
    return how.integer(how.step(f(x)), Y_scale, Y_zero_point);
  }
};

template <class F>
std::vector<Value> quantized_function(const Call& call, std::span<const Output> outs, const F& f) {
  require_usual_scales(call, {"X_scale", "Y_scale"});
  const std::array operands{Operand{call.input("X")}, Operand{single_number(call, "X_scale")},
                            Operand{single_number(call, "X_zero_point")}, Operand{single_number(call, "Y_scale")},
                            Operand{single_number(call, "Y_zero_point")}};
  return {elementwise(outs[0], operands, QuantizedFunction<F>{{}, f, Requantizing(outs[0])}, kWhole)};
}

/// All but the version, the summary and the kernel.
Operator quantized_function_operator(std::string_view op_type);
/// What both have.
void quantized_function_version_1(OpSchema& s);
}  // namespace opref::ops
