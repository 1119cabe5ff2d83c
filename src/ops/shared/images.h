// SPDX-License-Identifier: Apache-2.0
// Elements between the pixels of an image, and the bins of regions of interest.
#pragma once

#include <array>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "evaluators/elements.h"
#include "evaluators/programs.h"
#include "evaluators/weighted_sums.h"
#include "ops/shared/numbers.h"
#include "schema/operator.h"
namespace opref::ops {
// Elements between the pixels of an image: sums of pixels times weights, which are exact quotients along each axis.

/// That of the first input, which has the pixels.
const TensorType& image_type(const Call& call);
/// bool and strings are moved alone: by mode nearest.
void require_mode(const Call& call);
bool interpolates_integers(const Call& call);

/// A whole number of any size.
class WholeNumber {
 public:
  explicit WholeNumber(const Rational& whole);
  /// As R works with it: Bounded, Interval or Rational.
  template <class R>
  R as() const {
    if constexpr (std::is_same_v<R, Rational>)
      return exact_;
    else if constexpr (std::is_same_v<R, exact::Interval>)
      return error_ == 0 ? exact::Interval(near_) : exact_.interval();
    else
      return R{near_, error_};
  }

 private:
  Rational exact_;
  double near_, error_;
};

/// interpolation.zero_weight, of all versions since the first: whether pixels of weight 0 take part.
Reading zero_weight_reading(std::int64_t first);
enum class ZeroWeights : std::uint8_t { left_out, counted };
ZeroWeights zero_weights(const Call& call);

struct WeightedPixel {
  std::int64_t pixel;
  Rational weight;
};
/// Pixels along an axis, their weights over one denominator.
class AxisPoint {
 public:
  explicit AxisPoint(const std::vector<WeightedPixel>& pixels, ZeroWeights zeros = ZeroWeights::left_out);
  /// The pixel itself.
  explicit AxisPoint(std::int64_t pixel) : AxisPoint({{pixel, Rational(1)}}) {}

  struct Pixel {
    std::int64_t at;
    WholeNumber numerator;
  };
  const std::vector<Pixel>& pixels() const { return pixels_; }
  const WholeNumber& denominator() const { return denominator_; }

 private:
  std::vector<Pixel> pixels_;
  WholeNumber denominator_;
};

/// How a place between pixels is resampled: the pixels i from first(x) to last(x) have the weights h(s·(i - x)), h
/// being max(1 - |d|, 0) or the kernel of cubic convolution (Keys, 1981). Outermost ones of weight 0 are left out, but
/// for what lies beside a pixel that x hits.
enum class Resampling : std::uint8_t { nearest, linear, cubic };
struct Filter {
  Resampling mode;
  Rational cubic_a = 0;
  Rational s = 1;  ///< less than 1: wider, against aliasing
  Rational first(const Rational& x) const { return (x - reach()).floor() + Rational(1); }
  Rational last(const Rational& x) const { return (x + reach()).floor(); }
  Rational weight(const Rational& i, const Rational& x) const;
  /// h(d), 0 <= d < 1 and 1 <= d < 2.
  template <class R>
  R inner(const R& d, const R& a) const {
    if (mode != Resampling::cubic) return R(1) - d;
    return ((a + R(2)) * d - (a + R(3))) * d * d + R(1);
  }
  template <class R>
  R outer(const R& d, const R& a) const {
    return a * (((d - R(5)) * d + R(8)) * d - R(4));
  }

 private:
  Rational reach() const { return Rational(mode == Resampling::cubic ? 2 : 1) / s; }
};

/// f(place, weight) of the pixels around a point, row-major, strides[a] elements apart along axis a.
template <class R, class F>
void each_pixel(std::span<const AxisPoint* const> points, std::span<const std::int64_t> strides, std::int64_t at,
                const R& weight, const F& f) {
  if (points.empty()) return f(at, weight);
  require_time();
  for (const AxisPoint::Pixel& pixel : points[0]->pixels())
    each_pixel(points.subspan(1), strides.subspan(1), at + pixel.at * strides[0], weight * pixel.numerator.as<R>(), f);
}
/// Σ X[pixel]·weight; R is Bounded, Interval or, x giving such, Rational.
template <class R, class X>
R interpolated(std::span<const AxisPoint* const> points, std::span<const std::int64_t> strides, std::int64_t from,
               const X& x) {
  R sum(0), denominator(1);
  for (const AxisPoint* point : points) denominator = denominator * point->denominator().as<R>();
  each_pixel<R>(points, strides, from, R(1), [&](std::int64_t at, const R& weight) { sum = sum + x(at) * weight; });
  return sum / denominator;
}

template <class R, class X>
R interpolated(const std::vector<AxisPoint>& points, std::span<const std::int64_t> strides, std::int64_t from,
               const X& x) {
  std::array<const AxisPoint*, Dims::kCapacity> all{};
  for (size_t a = 0; a < points.size(); ++a) all[a] = &points[a];
  return interpolated<R>(std::span(all.data(), points.size()), strides, from, x);
}

/// How an axis of L pixels goes on beyond its ends: by zeros, by its border pixels, or by reflection about the centres
/// of these (`aligned`) or about their edges.
enum class Padding : std::uint8_t { zeros, border, reflection };
/// The place in the image, or beyond by zeros, that stands for x.
Rational padded(const Rational& x, std::int64_t L, Padding padding, bool aligned);
std::int64_t padded(std::int64_t i, std::int64_t L, Padding padding, bool aligned);

/// What x is made of: by mode nearest the nearest pixel, halves to even, else those that the filter weights.
AxisPoint sampled(const Filter& filter, const Rational& x, std::int64_t L, Padding padding, bool aligned,
                  ZeroWeights zeros);

/// The pixels along an axis that a place is made of, and their weights as doubles. At most kMost.
class NearPoint {
 public:
  static constexpr size_t kMost = 4;
  NearPoint() = default;
  explicit NearPoint(const AxisPoint& point) {
    for (const auto& [pixel, numerator] : point.pixels())
      add(pixel, numerator.as<Bounded>() / point.denominator().as<Bounded>());
  }
  void clear() { size_ = 0; }
  void add(std::int64_t pixel, const Bounded& weight) { pixels_[size_++] = {pixel, weight}; }
  const evaluators::WeightedPlace* begin() const { return pixels_.data(); }
  const evaluators::WeightedPlace* end() const { return begin() + size_; }

 private:
  std::array<evaluators::WeightedPlace, kMost> pixels_;
  size_t size_ = 0;
};
/// What x is made of, not by mode nearest, as `sampled` has it; false where doubles do not tell the pixels.
bool sample_nearby(const Filter& filter, const Bounded& x, std::int64_t L, Padding padding, bool aligned,
                   ZeroWeights zeros, NearPoint& point);
/// Each combination of pixels of a point, row-major, its weights multiplied.
void add_near(std::span<const NearPoint> points, std::span<const std::int64_t> strides, std::int64_t at,
              const Bounded& weight, evaluators::WeightedPlaces& places);

/// Complex numbers' parts: what f(output, parts) gives of them, along an axis after the others.
template <class F>
Tensor by_parts(const Output& out, const Tensor& X, const F& f) {
  return Tensor::copy_of(out.type(), f(out.inner(parts_type(out.type())), parts_of(X)).bytes());
}

/// Programs of one place each, in all channels, of Y (n, C, places…) from X (N, C, …); of complex numbers X's last axis
/// has their two parts. `Places` has, of the k-th place,
///   per_image(), image(k)        places of each n of Y; which n of X it reads
///   points(k)                    what it reads there
///   value<R>(points, strides, x) the element, x(at) being X's element at a position in a plane
///   tell(k, points, x)           what `explain` is told
///   computed_points(k), computed_value(points, strides, x)   the same as kernels compute it
template <class Places>
class EachChannel {
 public:
  EachChannel(const Places& places, const Tensor& X, std::int64_t parts = 1)
      : places_(places),
        X_(X),
        strides_(strides_of(X.shape()).without_first(2)),
        L_(element_count(X.shape().without_first(2))),
        C_(X.shape()[1]),
        parts_(parts) {}

  template <class R>
  void operator()(std::int64_t k, const evaluators::Reader<R>& x, evaluators::Writer<R>& y) const {
    const std::int64_t each = places_.per_image(), n = k / each, o = k % each;
    if (C_ == 0) return;
    const auto points = [&] {
      if constexpr (std::is_same_v<R, exact::Faithful>)
        return places_.computed_points(k);
      else
        return places_.points(k);
    }();
    if constexpr (std::is_same_v<R, Interval>) places_.tell(k, points, x);
    for (std::int64_t c = 0; c < C_; ++c)
      for (std::int64_t part = 0; part < parts_; ++part)
        y.put(0, ((n * C_ + c) * each + o) * parts_ + part, [&]() -> R {
          const std::int64_t from = (places_.image(k) * C_ + c) * L_ + part;
          const auto number = [&](std::int64_t at) { return x(X_, from + at); };
          if constexpr (std::is_same_v<R, exact::Faithful>)
            return places_.computed_value(points, strides_, number);
          else
            return places_.template value<R>(points, strides_, number);
        });
  }
  std::int64_t program_of(std::size_t, std::int64_t at) const {
    const std::int64_t each = places_.per_image(), plane = at / parts_ / each;
    return plane / C_ * each + at / parts_ % each;
  }

 private:
  const Places& places_;
  evaluators::Elements X_;
  Dims strides_;
  std::int64_t L_, C_, parts_;
};

/// Y of floats or complex numbers, of `count` places; rows are those of floats.
template <class Places>
std::vector<Value> in_each_channel(std::span<const Output> outs, const Places& places, std::int64_t count,
                                   const Tensor& X, const evaluators::Rows& rows = nullptr) {
  if (!types::complexes.contains(X.dtype())) return evaluators::programs(outs, count, EachChannel(places, X), {}, rows);
  return {by_parts(outs[0], X, [&](const Output& inner, const Tensor& parts) {
    return *evaluators::programs(std::span(&inner, 1), count, EachChannel(places, parts, 2))[0].tensor();
  })};
}

/// How an integer type takes a number between two.
enum class Fraction : std::uint8_t { nearest_even, truncate };
enum class Beyond : std::uint8_t { saturate, wrap };
std::uint64_t integer_of(const Rational& number, DType dtype, Fraction fraction, Beyond beyond);

// Where the bins of regions of interest lie, per axis, decided on exact numbers, and the pixels that sample them.

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
  double before, after;  ///< 0 or 1/2: what is added to a corner, and what is taken from it times `scale`
  bool at_least_one;     ///< extents are at least 1
  ZeroWeights zeros;
};
/// The samples of bin i of one region. With start = (corner + before)·scale - after, and extent = end - start:
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
