// SPDX-License-Identifier: Apache-2.0
// The greatest element of each window and the number that names it, in both standards.
#pragma once

#include <functional>

#include "families/select.h"
#include "ops/common/pooling.h"

namespace opref::ops {

/// Y[n,c,o] = the greatest X[n, c, o*s + k*d - pb] inside X; NaN wins, +0 is greater than -0. The second output, where
/// there is one, names its place in X by `index`, of equals the first one or the last.
struct MaxPool {
  PoolingWindows windows;
  families::Tie tie = families::Tie::first;
  /// The number that names the element of X at a flat position.
  std::function<std::int64_t(std::int64_t at)> index = {};
};

/// By the reading max_pool.empty where a window has no element of X; that no index names one is `invalid`.
std::vector<Value> max_pool(const Call& call, const Tensor& x, std::span<const Output> outs, const MaxPool& pool);

/// max_pool.empty, of all versions since the first. `has_empty`: whether some window has no element.
Reading max_pool_empty_reading(std::int64_t first, bool (*has_empty)(const Call&));

}  // namespace opref::ops
