// SPDX-License-Identifier: Apache-2.0
// QLinearAdd and QLinearMul of com.microsoft: a sum or product of two numbers that integers of 8 bits stand for.
#pragma once

#include <array>

#include "ops/shared/elementwise.h"
#include "ops/shared/requantized.h"
namespace opref::ops {
// C = saturate(nearest(f((A - A_zero_point)·A_scale, (B - B_zero_point)·B_scale) / C_scale + C_zero_point)); f is a
// formula of two numbers
template <class F>
struct QuantizedPair : RealFormula<8> {
  Requantizing how;
  template <class R>
  OPREF_INLINE R operator()(const R& A, const R& A_scale, const R& A_zero_point, const R& B, const R& B_scale,
                            const R& B_zero_point, const R& C_scale, const R& C_zero_point) const {
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
  return {elementwise(outs[0], operands, QuantizedPair<F>{{}, Requantizing(outs[0])}, kWhole)};
}

/// All but the summary and the kernel.
Operator quantized_pair_operator(std::string_view op_type);
}  // namespace opref::ops
