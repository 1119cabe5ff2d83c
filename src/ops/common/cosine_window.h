// SPDX-License-Identifier: Apache-2.0
// What HannWindow, HammingWindow and BlackmanWindow share.
#pragma once

#include <array>

#include "schema/operator.h"

namespace opref::ops {

/// (a0 - a1·cos(2πn/P) + a2·cos(4πn/P))/over, and the constants of the function's body.
struct CosineWindow {
  std::int64_t a0, a1, a2, over;
  std::array<float, 3> in_float32;
};

/// Element n of `size`, P being size, or size - 1 where it is not periodic.
std::vector<Value> cosine_window(const Call& call, std::span<const Output> outs, const CosineWindow& window);
/// Version 17, its readings and output types.
Operator cosine_window_operator(std::string_view op_type);

/// Types of windows and of MelWeightMatrix, chosen by output_datatype.
inline constexpr Types kOutputDatatypes = types::numbers | DType::bfloat16;
AttributeSchema output_datatype_attribute();
/// An input of rank 0, an integer; else `invalid`.
std::int64_t rank_0(const Call& call, std::string_view input);

}  // namespace opref::ops
