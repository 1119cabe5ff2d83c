// SPDX-License-Identifier: Apache-2.0
// Operators of one input whose output has its type and shape.
#pragma once

#include <array>
#include <cmath>

#include "evaluators/elementwise.h"
#include "schema/operator.h"

namespace opref::ops {

/// The type of the first input.
std::vector<ValueType> same_type(const Call& call);
/// bool, of the shape of the first input.
std::vector<ValueType> truth_of_each(const Call& call);

/// Versions 1, with `consumed_inputs`, 6 and, with bfloat16, 13 of an operator of floats.
Operator unary_since_1(std::string_view op_type, std::string_view input = "input", std::string_view output = "output");
/// The same with version 6 taking integers too, its parameters being X and Y.
Operator unary_with_integers(std::string_view op_type, const Types& integers);
/// An operator of floats that came with `since_version`, and version 22 with bfloat16.
Operator unary_until_22(std::string_view op_type, std::int64_t since_version, std::string_view input = "input",
                        std::string_view output = "output");

/// Versions 1 of such operators have this attribute, of any length, which says nothing.
void with_consumed_inputs(OpSchema& s);
/// Version 6 removes it.
void without_consumed_inputs(OpSchema& s);

/// Whether an element of the first input, as far as its values are known, is such a number: for readings.
bool has_element(const Call& call, bool (*is_such)(double));
inline bool is_negative_zero(double x) { return x == 0 && std::signbit(x); }

/// F of each element of the first input. F is made of nothing, or of the call.
template <class F>
std::vector<Value> each_element(const Call& call, std::span<const Output> outs) {
  const std::array operands{call.input(call.schema().inputs()[0].name)};
  if constexpr (std::is_constructible_v<F, const Call&>)
    return {elementwise(outs[0], operands, F(call))};
  else
    return {elementwise(outs[0], operands, F{})};
}

}  // namespace opref::ops
