// SPDX-License-Identifier: Apache-2.0
// Operators of one input whose output has its type and shape.
#pragma once

#include <array>

#include "families/elementwise.h"
#include "schema/operator.h"

namespace opref::ops {

/// The type of the first input.
std::vector<ValueType> same_type(const Call& call);

/// Versions 1, with `consumed_inputs`, 6 and, with bfloat16, 13 of an operator of floats.
Operator unary_since_1(std::string_view op_type, std::string_view input = "input", std::string_view output = "output");
/// An operator of floats that came with `since_version`, and version 22 with bfloat16.
Operator unary_until_22(std::string_view op_type, std::int64_t since_version);

/// Versions 1 of such operators have this attribute, of any length, which says nothing.
void with_consumed_inputs(OpSchema& s);
/// Version 6 removes it.
void without_consumed_inputs(OpSchema& s);

/// F of each element of the first input. F is made of nothing, or of the call.
template <class F>
std::vector<Value> each_element(const Call& call, std::span<const ValueType> types) {
  const std::array operands{call.input(call.schema().inputs()[0].name)};
  if constexpr (std::is_constructible_v<F, const Call&>)
    return {elementwise(call, types[0].tensor, operands, F(call))};
  else
    return {elementwise(call, types[0].tensor, operands, F{})};
}

}  // namespace opref::ops
