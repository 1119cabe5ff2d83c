// SPDX-License-Identifier: Apache-2.0
// The greatest element of each window and the number that names it, in both standards.
#pragma once

#include <functional>

#include "evaluators/select.h"
#include "ops/common/pooling.h"

namespace opref::ops {

/// Y[n,c,o] = the greatest X[n, c, o*s + k*d - pb] inside X; NaN wins, +0 is greater than -0. The second output, where
/// there is one, names its place in X by `index`, of equals the first one or the last.
struct MaxPool {
  PoolingWindows windows;
  evaluators::Tie tie = evaluators::Tie::first;
  /// The number that names the element of X at a flat position.
  std::function<std::int64_t(std::int64_t at)> index = {};
};

/// By the reading max_pool.empty where a window has no element of X; that no index names one is `invalid`.
std::vector<Value> max_pool(const Call& call, const Tensor& x, std::span<const Output> outs, const MaxPool& pool);

/// max_pool.empty, of all versions since the first. `has_empty`: whether some window has no element.
Reading max_pool_empty_reading(std::int64_t first, bool (*has_empty)(const Call&));

/// Indices, N and C included, as MaxPool gives them over random numbers in tensors of shape x, whose spatial sizes are
/// windows.L: of each window the place of the greatest. A window without a place in x is a `usage` error.
Tensor random_indices(const Dims& x, const PoolingWindows& windows, const Random& random);

/// Whether each of `indices` (int64, of the pooled tensor's shape), decoded as a row-major position in `space`, has its
/// element's N and C and lies in the pooling window of its element i: i*s - pb <= o < i*s - pb + k on every spatial
/// axis. k, s and pad_begin have one value per spatial axis.
bool indices_lie_in_windows(const Tensor& indices, const Dims& space, const Dims& k, const Dims& s,
                            const Dims& pad_begin);

/// Whether a MaxPool by k and s over tensors of shape x can give these indices, whatever its pads, dilations and order
/// of storage: along each axis o - i*s is one of -pb, d - pb, …, (k-1)*d - pb, of one pb >= 0 and one d >= 1.
bool can_be_pooled(const Tensor& indices, const Dims& x, const Dims& k, const Dims& s);

}  // namespace opref::ops
