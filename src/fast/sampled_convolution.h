// SPDX-License-Identifier: Apache-2.0
// A convolution whose taps read between elements: of the samples that each place has, products.
#pragma once

#include <functional>

#include "evaluators/weighted_sums.h"
#include "fast/fast.h"

#ifdef OPREF_WITHOUT_FAST
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter"
#endif

namespace opref::fast {

/// Y (N, groups*M, …) from X (N, groups*C, …), kernels W (groups*M, C, taps) and bias B, all of Y's dtype: Y[n, m, o] =
/// the bias of m + Σ over the channels c of m's group and the taps k of W[m, c, k] times what k reads there in a plane
/// of X.
struct SampledConvolution {
  const Tensor &x, &w;
  const Tensor* b;  ///< (groups*M), or null
  std::int64_t groups, taps;
  /// Neighbouring channels read at the same places: so many sets of places has an image. They divide the channels.
  std::int64_t sets;
  /// What tap k reads at `count` places o of image n and a set, from `first` on: terms of a plane. For any thread.
  std::function<evaluators::WeightedPlaces(std::int64_t n, std::int64_t set, std::int64_t k, std::int64_t first,
                                           std::int64_t count)>
      places;
};
/// Of 16 or 32 bits; a few MiB per thread, of very many channels and taps as much as some places have.
OPREF_ROWS(bool sampled_convolution(const RowTarget& y, const SampledConvolution& c));

}  // namespace opref::fast

#ifdef OPREF_WITHOUT_FAST
#pragma GCC diagnostic pop
#endif
