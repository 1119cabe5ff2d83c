// SPDX-License-Identifier: Apache-2.0
// QLinear operators of com.microsoft that take numbers one by one: a sum or product of two that integers of 8 bits
// stand for (QLinearAdd, QLinearMul), a function of one (QLinearSigmoid, QLinearLeakyRelu).
#pragma once

#include <array>

#include "ops/shared/elementwise.h"
#include "ops/shared/formulas.h"
#include "ops/shared/requantized.h"
namespace opref::ops {
// C = saturate(nearest(f((A - A_zero_point)·A_scale, (B - B_zero_point)·B_scale) / C_scale + C_zero_point)); f is a
// formula of two numbers. By the usual readings (is_usual) the compiler knows each step, and rows are vector code.
template <class F, bool is_usual>
struct QuantizedPair : RealFormula<8> {
  Requantizing by_readings;
  template <class R>
  OPREF_INLINE R operator()(const R& A, const R& A_scale, const R& A_zero_point, const R& B, const R& B_scale,
                            const R& B_zero_point, const R& C_scale, const R& C_zero_point) const {
    Requantizing how = by_readings;
    if constexpr (is_usual) how.in_single = false, how.is_inside = true;
    const R a = how.named("the number of the first", how.real(A, A_scale, A_zero_point)),
            b = how.named("the number of the second", how.real(B, B_scale, B_zero_point));
    return how.integer(how.step(F{}(a, b)), C_scale, C_zero_point);
  }
};

template <class F>
std::vector<Value> quantized_pairs(const Call& call, std::span<const Output> outs) {
  require_usual_scales(call, {"A_scale", "B_scale", "C_scale"});
  std::vector<Operand> operands;
  for (const char* of : {"A", "B", "C"}) {
    if (*of != 'C') operands.push_back({call.input(of)});
    operands.push_back({single_number(call, std::string(of) + "_scale")});
    operands.push_back({single_number(call, std::string(of) + "_zero_point")});
  }
  const Requantizing how(outs[0]);
  if (how.is_inside && !how.in_single) return {elementwise(outs[0], operands, QuantizedPair<F, true>{{}, how}, kWhole)};
  return {elementwise(outs[0], operands, QuantizedPair<F, false>{{}, how}, kWhole)};
}

/// All but the summary and the kernel.
Operator quantized_pair_operator(std::string_view op_type);

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
