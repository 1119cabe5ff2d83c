// SPDX-License-Identifier: Apache-2.0
// Operators that draw random numbers: the specification determines the types of what they give, not the values.
#pragma once

#include "schema/operator.h"
namespace opref::ops {
inline constexpr std::string_view kUndetermined = "its values are not determined by the specification";

/// The element type that the attribute dtype names, one of the output's; without it that of the input `like`, which
/// must then be one of them.
DType drawn_dtype(const Call& call, std::string_view like);

// Versions 1 and 22 of an operator that draws from a distribution.
/// Its output has the shape that an attribute states.
Operator distribution(std::string_view op_type, std::string_view summary, const VersionChange& parameters,
                      OutputTypes types);
/// Its output has the shape of an input, and its type where dtype does not say another.
Operator distribution_like(std::string_view op_type, std::string_view summary, const VersionChange& parameters,
                           OutputTypes types);

/// mean and scale, low and high.
void normal_parameters(OpSchema& s);
void uniform_parameters(OpSchema& s);
/// The types of these operators, of normal and uniform distributions.
std::vector<ValueType> distribution_types(const Call& call);
std::vector<ValueType> uniform_types(const Call& call);
}  // namespace opref::ops
