// SPDX-License-Identifier: Apache-2.0
// QLinearAveragePool and QLinearGlobalAveragePool of com.microsoft: the mean of the numbers that a window's integers of
// 8 bits stand for.
#pragma once

#include "evaluators/taps.h"
#include "ops/shared/channels.h"
#include "ops/shared/pooling.h"
#include "ops/shared/requantized.h"
namespace opref::ops {
/// The windows of a node over X, and what the sum of a window's numbers is divided by.
struct MeanWindows {
  PoolingWindows windows;
  Counted counted;
};
/// Y of X, (N, C, D1, …) or with the channels last: quantized by the inputs x_scale, x_zero_point, y_scale,
/// y_zero_point.
std::vector<Value> quantized_means(const Call& call, std::span<const Output> outs, const MeanWindows& of);

/// X's sizes as (N, C, D1, …), each rule of the shapes of scales and zero points; X has spatial axes.
Dims quantized_image(const Call& call);
/// Its readings.
Operator quantized_mean_operator(std::string_view op_type);
/// The inputs and output, the zero points being of this arity, and channels_last.
void quantized_mean_version_1(OpSchema& s, Arity zero_points);
}  // namespace opref::ops
