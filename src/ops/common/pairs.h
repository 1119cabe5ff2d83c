// SPDX-License-Identifier: Apache-2.0
// Kernels of operators of two broadcast inputs, and what their integers may not be.
#pragma once

#include "evaluators/elementwise.h"
#include "ops/common/broadcast.h"

namespace opref::ops {

/// F of each pair of elements of the first two inputs. F is made of nothing, or of the call.
template <class F>
std::vector<Value> each_pair(const Call& call, std::span<const Output> outs) {
  if constexpr (std::is_constructible_v<F, const Call&>)
    return {elementwise(outs[0], broadcast_operands(call), F(call))};
  else
    return {elementwise(outs[0], broadcast_operands(call), F{})};
}

// What would have no number, for require_nowhere.
struct IsZero : RealFormula<1> {
  static constexpr bool one_operation = true, integers = true;
  template <class R>
  OPREF_INLINE Truth operator()(const R& x) const {
    return x == R(0.0);
  }
};
/// An integer divisor of 0 is `invalid`, with its position; nothing is divided where the output is empty.
inline void require_divisors(const Output& out, std::string_view name, const Tensor& divisors) {
  const TensorType& type = out.type();
  if (info(type.dtype).kind != Kind::floating && element_count(type.shape) > 0)
    require_nowhere(out, divisors.shape(), std::array{divisors}, IsZero{}, name,
                    "is 0, but must not be: it is a divisor");
}

}  // namespace opref::ops
