// SPDX-License-Identifier: Apache-2.0
// What QuantizeLinear and DequantizeLinear share: the scale and zero point of each element, by tensor, axis or block.
#pragma once

#include "evaluators/elementwise.h"
#include "schema/operator.h"

namespace opref::ops {

/// An input, a scale or zero point, where it lies for each element of x: one number, along the axis, or per block.
Operand per_element(const Call& call, std::string_view parameter);
/// The same; 0 where the zero point is left out.
Operand zero_points(const Call& call, std::string_view zero_point);
/// Shapes of scale and zero point against x, axis and block_size.
void check_quantization(const Call& call, std::string_view scale, std::string_view zero_point);
/// quantize.scale_of_one and quantize.rank_1.
Operator with_quantization_readings(Operator op);

// What rounds to odd in doubles is exact in intervals.
inline Interval quotient_to_odd(const Interval& a, const Interval& b) { return a / b; }
inline Interval product_to_odd(const Interval& a, const Interval& b) { return a * b; }

/// x/scale rounded to `precision`, if there is one; tells `explain` both, the first by its name.
Interval named_quotient(const Named& named, std::string_view name, const Interval& x, const Interval& scale,
                        std::optional<DType> precision);
/// The integer nearest to a number of a floating type; tells `explain`.
Interval named_integer(const Named& named, const Interval& quotient);

}  // namespace opref::ops
