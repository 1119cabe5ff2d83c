// SPDX-License-Identifier: Apache-2.0
// The mean of each window, in both standards.
#pragma once

#include "ops/common/pooling.h"

namespace opref::ops {

/// What a sum is divided by: how many taps of its window read elements of X, lie in X or its pads, or all of them.
enum class Counted : std::uint8_t { elements, pads, all };

/// What 0/0 is, the mean of no elements. `nan`: NaN; of integers, whose quotients are truncated, it is `invalid`.
enum class EmptyMean : std::uint8_t { nan, zero };

/// Y[n,c,o] = Σ X[n, c, o*s + k*d - pb] / count over the taps inside X.
Tensor average_pool(const Output& y, const Tensor& x, const PoolingWindows& windows, Counted counted,
                    EmptyMean empty = EmptyMean::nan);

}  // namespace opref::ops
