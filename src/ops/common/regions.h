// SPDX-License-Identifier: Apache-2.0
// Where the bins of regions of interest lie, per axis, decided on exact numbers, and the pixels that sample them.
#pragma once

#include <vector>

#include "evaluators/elements.h"
#include "ops/common/interpolation.h"

namespace opref::ops {

/// One axis of regions whose two corners are rois[region*stride + corner] and rois[… + corner + 2], times `scale`.
struct RegionAxis {
  std::int64_t stride, corner;
  double scale;
  std::int64_t L, bins;         ///< pixels of X, bins of a region
  std::int64_t beyond_end = 1;  ///< the pixel at the end is in the region
};

/// Pixels [first, last).
struct PixelRange {
  std::int64_t first, last;
};
/// Caffe's Fast R-CNN: with [start, end] = round(corner·scale), halves away from zero, and e = max(end - start +
/// beyond_end, 1), bin i of n is [start + floor(i·e/n), start + ceil((i + 1)·e/n)), as far as it lies in X.
PixelRange pixels_of_bin(const RegionAxis& axis, const evaluators::Elements& rois, std::int64_t region, std::int64_t i);

/// Points that sample a bin.
struct SampledAxis : RegionAxis {
  std::int64_t sampling_ratio;
  bool half;          ///< pixels lie at half coordinates
  bool at_least_one;  ///< extents are at least 1
  ZeroWeights zeros;
};
/// The samples of bin i of one region. With start = corner·scale, less 1/2 with `half`, and extent = end - start:
///   G = sampling_ratio, or ceil(extent/bins);   sample g: start + (i + (g + 1/2)/G)·extent/bins
/// One below -1 or above L is outside. Others are moved into [0, L-1] and lie on a pixel or between two.
struct Samples {
  std::int64_t G;
  bool is_forced;                    ///< the extent is 1, whatever the corners say
  std::vector<std::int64_t> inside;  ///< each g
  std::vector<std::size_t> ends;     ///< of each, where its pixels end
  AxisPoint pixels;                  ///< of all of them

  Samples(const SampledAxis& axis, const evaluators::Elements& rois, std::int64_t region, std::int64_t i);
  std::span<const AxisPoint::Pixel> of(std::size_t sample) const;
  bool some_are_outside() const { return std::ssize(inside) < G; }
};

}  // namespace opref::ops
