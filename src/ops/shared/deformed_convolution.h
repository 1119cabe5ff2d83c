// SPDX-License-Identifier: Apache-2.0
// Convolutions whose taps are moved by offsets, in both standards.
#pragma once

#include <vector>

#include "ops/shared/images.h"
#include "ops/shared/windows.h"
#include "schema/operator.h"
namespace opref::ops {
/// How X goes on beyond its elements: by zeros; or a place from 0 up to, but not including, L lies between elements, of
/// which the last one goes on, and at any other place there is nothing.
enum class Ends : std::uint8_t { zeros, border };

/// Y[n,m,o] = B[m] + Σ over channels c and taps k of W[m,c,k]·mask[n, g*K + k, o]·x(o*s + k*d - pb + offset[n, g*K + k,
/// o]) where x is X[n,c], interpolated linearly along each axis, and g the offset group of c.
struct DeformedConvolution {
  const Tensor &X, &W, &offset;
  const Tensor *B, *mask;  ///< null: 0 and 1
  PoolingWindows windows;
  std::int64_t groups, offset_groups;
  std::int64_t mask_step = 1;  ///< how many channels of mask a tap has, of which the first counts
  ZeroWeights zeros = ZeroWeights::left_out;
  Ends ends = Ends::zeros;
};
std::vector<Value> deformed_convolution(std::span<const Output> outs, const DeformedConvolution& convolution);
}  // namespace opref::ops
