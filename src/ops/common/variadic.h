// SPDX-License-Identifier: Apache-2.0
// Max, Min, Sum and Mean: elementwise operators of one input or more.
#pragma once

#include "evaluators/strided.h"
#include "schema/operator.h"

namespace opref::ops {

/// Versions 1, 6, 8 and 13 of such an operator, and 12, of all numbers, where it has that; its output types: before 8
/// of the inputs' one shape, then of the shape to which they broadcast.
enum class Integers12 : std::uint8_t { no, yes };
Operator variadic(std::string_view op_type, std::string_view output, Integers12 integers);

/// The places of each input's elements that meet in an element of the output.
std::vector<Strided> input_places(std::span<const Tensor> inputs, const Dims& output);

}  // namespace opref::ops
