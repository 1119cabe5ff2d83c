// SPDX-License-Identifier: Apache-2.0
// QLinearConv, of ai.onnx and of com.microsoft: a convolution of integers of 8 bits, whose sums are scaled, rounded,
// and integers of 8 bits again.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "ops/shared/convolutions.h"
#include "ops/shared/quantized.h"
#include "schema/operator.h"
namespace opref::ops {
// Of each output channel m, whose scale and zero point may be its own:
//   sum = Σ (x - x_zero_point)·(w - w_zero_point[m]) + B[m]
//   y = clamp(nearest(sum · x_scale·w_scale[m] / y_scale) + y_zero_point)
// Padding is x_zero_point, which adds nothing. The sum is exact, the quotient is rounded once, halves to even.

/// The type of y; each rule of the shapes of x, w, B and `group`.
std::vector<ValueType> quantized_convolution_types(const Call& call);
/// Inputs, outputs and attributes but auto_pad.
void quantized_convolution_version(OpSchema& s);
/// The kernel, which asks that all scales are finite and > 0, and the readings, of versions from `first` on:
/// q_linear_conv.round, .accumulator, .scale and .pads_with_auto_pad.
Operator quantized_convolution_operator(std::string_view domain, std::int64_t first);
}  // namespace opref::ops
