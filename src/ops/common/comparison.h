// SPDX-License-Identifier: Apache-2.0
// Operators of two broadcast inputs whose formula needs nothing of the call, with a result of A's type or of bool.
#pragma once

#include "families/elementwise.h"
#include "ops/common/broadcast.h"

namespace opref::ops {

/// bool, of the shape to which the first two inputs broadcast.
inline std::vector<ValueType> truth_types(const Call& call) {
  return {TensorType{DType::boolean, broadcast_types(call)[0].tensor.shape}};
}
/// F of each pair of elements of the first two inputs.
template <class F>
std::vector<Value> each_pair(const Call& call, std::span<const Output> outs) {
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
