// SPDX-License-Identifier: Apache-2.0
#include "ops/common/regions.h"

#include <algorithm>

#include "core/error.h"
#include "ops/common/rational.h"
#include "system/deadline.h"

namespace opref::ops {

PixelRange pixels_of_bin(const RegionAxis& axis, const evaluators::Elements& rois, std::int64_t region,
                         std::int64_t i) {
  const auto scaled = [&, scale = Rational::of(axis.scale)](std::int64_t corner) {
    return (Rational::of(rois.number(region * axis.stride + corner)) * scale).rounded_away();
  };
  const Rational start = scaled(axis.corner), n(axis.bins);
  const Rational e = std::max(scaled(axis.corner + 2) - start + Rational(axis.beyond_end), Rational(1));
  return {(start + (Rational(i) * e / n).floor()).clamped(0, axis.L),
          (start + (Rational(i + 1) * e / n).ceil()).clamped(0, axis.L)};
}

Samples::Samples(const SampledAxis& axis, const evaluators::Elements& rois, std::int64_t region, std::int64_t i)
    : pixels(std::vector<WeightedPixel>{}) {
  constexpr std::int64_t kMostG = std::int64_t{1} << 53, kMost = std::int64_t{1} << 20;
  const auto corner = [&](std::int64_t k) { return Rational::of(rois.number(region * axis.stride + axis.corner + k)); };
  const Rational scale = Rational::of(axis.scale), half = Rational(1) / Rational(2), n(axis.bins),
                 start = corner(0) * scale - (axis.half ? half : Rational(0)), stated = (corner(2) - corner(0)) * scale;
  is_forced = axis.at_least_one && stated < Rational(1);
  const Rational extent = is_forced ? Rational(1) : stated;
  G = axis.sampling_ratio > 0 ? axis.sampling_ratio : (extent / n).ceil().clamped(0, kMostG);
  // The first and the last g in [-1, L].
  std::int64_t first = 0, last = G - 1;
  if (extent != Rational(0)) {
    const auto g_at = [&](std::int64_t x) {
      return ((Rational(x) - start) * n / extent - Rational(i)) * Rational(G) - half;
    };
    const auto [from, to] = std::minmax({g_at(-1), g_at(axis.L)});
    first = from.ceil().clamped(0, G), last = to.clamped(-1, G - 1);
  }
  if (G >= kMostG) fail(Fault::unsupported, "a bin of roi {} has 2^53 samples along an axis, or more", region);
  if (last - first >= kMost)
    fail(Fault::unsupported, "a bin of roi {} has {} samples along an axis, more than {}", region, last - first + 1,
         kMost);
  std::vector<WeightedPixel> all;
  for (std::int64_t g = first; g <= last && axis.L > 0; ++g) {
    const Rational x = start + (Rational(i) + (Rational(g) + half) / Rational(G)) * extent / n;
    if (x < Rational(-1) || x > Rational(axis.L)) continue;
    const Rational place = std::clamp(x, Rational(0), Rational(axis.L - 1)), above = place - place.floor();
    const std::int64_t pixel = place.clamped(0, axis.L - 1);
    all.push_back({pixel, Rational(1) - above});
    if (above != Rational(0) || axis.zeros == ZeroWeights::counted)
      all.push_back({std::min(pixel + 1, axis.L - 1), above});
    inside.push_back(g), ends.push_back(all.size());
  }
  pixels = AxisPoint(all, axis.zeros);
}

std::span<const AxisPoint::Pixel> Samples::of(std::size_t sample) const {
  require_time();
  const std::size_t first = sample == 0 ? 0 : ends[sample - 1];
  return std::span(pixels.pixels()).subspan(first, ends[sample] - first);
}

}  // namespace opref::ops
