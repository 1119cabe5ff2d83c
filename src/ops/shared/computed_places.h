// SPDX-License-Identifier: Apache-2.0
// Elements between pixels as kernels compute them, whose places are rounded too: how far they may be. Where a kernel
// has a place x wrong by e, its element is one of a place nearby: off by e times the greatest slope there. The weights
// of the pixels move against each other, so the slope is one of differences of pixels, not of the pixels themselves.
#pragma once

#include <functional>
#include <limits>
#include <span>
#include <vector>

#include "exact/real/faithful.h"
#include "ops/shared/images.h"
namespace opref::ops {

/// The number that a kernel works with: one that is no number of its type is a quotient that it computes.
Faithful computed(const Rational& number);
/// One that a kernel divides by, or multiplies with its reciprocal, which it computes.
Faithful computed_divisor(const Rational& number);

/// Of which nothing is known.
inline const Faithful kUnknown{0, 0, std::numeric_limits<double>::infinity()};

/// A place as kernels have it: x, which they have wrong by `error` at most; of a simulated kernel its own.
struct ComputedPlace {
  Rational x;
  double error;

  /// Of the exact place, and as a kernel computes it, which may have it wrong by so much `more`.
  ComputedPlace(const Rational& exact, const Faithful& computed, double more = 0);
  /// Moved there.
  ComputedPlace within(const Rational& least, const Rational& most) const;
};

/// What lies beyond the ends of an axis, in the place of a pixel.
inline constexpr std::int64_t kZero = -1, kLeftOut = -2;

/// The pixels along an axis that a computed place is made of, and those beside them that a kernel may take.
class ComputedPoint {
 public:
  struct Tap {
    std::int64_t pixel;  ///< or kZero
    Faithful weight;
  };

  /// The pixel itself.
  explicit ComputedPoint(std::int64_t pixel) : taps_{{pixel, Faithful(1.0)}} {}
  /// What the place is made of; not by mode nearest. pixel_at(i) is what place i shows. Where the weights are `divided`
  /// they are by their sum.
  ComputedPoint(const Filter& filter, const ComputedPlace& place,
                const std::function<std::int64_t(std::int64_t i)>& pixel_at, bool divided = false);

  const std::vector<Tap>& taps() const { return taps_; }
  /// How far an element may be because of the place: so much times the greatest difference of its pixels.
  double moved() const { return moved_; }
  /// Σ |weight|, and how much more it is at any place that a kernel may have.
  double size() const { return size_; }
  double grown() const { return grown_; }

 private:
  std::vector<Tap> taps_;
  double moved_ = 0, size_ = 1, grown_ = 0;
};

/// Σ x(place)·weight, as `interpolated` of images.h.
Faithful interpolated(std::span<const ComputedPoint> points, std::span<const std::int64_t> strides, std::int64_t from,
                      const std::function<Faithful(std::int64_t at)>& x);

/// Of mode nearest: the pixels that kernels may take for the place; none where nothing is known.
std::vector<std::int64_t> nearest_pixels(const ComputedPlace& place,
                                         const std::function<std::int64_t(const Rational& x)>& pixel_at);
/// Any number of these pixels. Those below 0 are 0.
Faithful any_pixel(std::span<const std::vector<std::int64_t>> pixels, std::span<const std::int64_t> strides,
                   std::int64_t from, const std::function<Faithful(std::int64_t at)>& x);

/// The samples of bin i of one region along an axis, as `Samples`, each a point.
struct ComputedSamples {
  struct Sample {
    ComputedPoint point;
    bool may_be_outside;  ///< where there is nothing
  };
  double G = 0;
  std::vector<Sample> inside;  ///< those that may be
  bool some_are_outside = false;
  bool is_known = true;  ///< false: kernels may take another number of samples

  ComputedSamples(const SampledAxis& axis, const evaluators::Elements& rois, std::int64_t region, std::int64_t i);
};

/// Any number of both.
Faithful hull(const Faithful& a, const Faithful& b);
/// Whether a kernel that has x wrong by `error` may have it on the other side of the limit.
bool may_cross(const Rational& x, double error, const Rational& limit);
}  // namespace opref::ops
