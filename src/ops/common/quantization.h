// SPDX-License-Identifier: Apache-2.0
// What QuantizeLinear and DequantizeLinear share: the scale and zero point of each element, by tensor, axis or block.
#pragma once

#include "exact/convert.h"
#include "schema/operator.h"

namespace opref::ops {

/// A scale or zero point as an operand of x's shape: repeated where it is one number, along the axis, or per block.
Tensor per_element(const Output& out, const Tensor& parameter, const Dims& x);
/// Shapes of scale and zero point against x, axis and block_size; `invalid` with both values.
void check_quantization(const Call& call, std::string_view scale, std::string_view zero_point);
/// The attribute as a type; nothing where it is 0 or absent.
std::optional<DType> stated_type(const Call& call, std::string_view attribute);
/// saturate, round_mode and what the version says of infinities.
Conversion conversion_of(const Call& call, std::int64_t since_newer_infinities = 24);

}  // namespace opref::ops
