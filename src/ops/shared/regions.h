// SPDX-License-Identifier: Apache-2.0
// Pooling of regions of interest in both standards: the greatest element of each bin, or what its samples give.
#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "ops/shared/computed_places.h"
#include "ops/shared/images.h"
#include "schema/operator.h"
namespace opref::ops {
/// The first number of each row of the input `regions` is a batch of the images X: a whole number from 0 to N - 1.
void require_batches(const Call& call, std::string_view X, std::string_view regions);
/// The same of the numbers of a list; gives them.
std::vector<std::int64_t> batches_of(const Call& call, std::string_view X, std::string_view list);

/// Y[roi, c, i, j] = the greatest X[batch, c, …] in bin (i, j), as pixels_of_bin has it; of an empty bin +0.
Tensor greatest_in_bins(const Output& out, const Tensor& X, const Tensor& regions, const RegionAxis& height,
                        const RegionAxis& width);

/// What a bin gives: the mean of its samples, the greatest one, the same but at least 0, or the greatest of the pixels
/// around the samples, each times its weight.
enum class OfSamples : std::uint8_t { mean, greatest, greatest_or_zero, greatest_corner };
/// Y[roi, c, i, j] of the samples of bin (i, j) in X[batches[roi], c, …].
std::vector<Value> sampled_bins(std::span<const Output> outs, const Tensor& X, const Tensor& rois,
                                const std::vector<std::int64_t>& batches, const SampledAxis& rows,
                                const SampledAxis& columns, OfSamples of);

// Samples of a plane whose places a formula gives: place(n), n(x) being the input or attribute x as a number. They are
// worked out exactly and, for bounds, as kernels do it.

struct ExactNumber {
  Rational operator()(double x) const { return Rational::of(x); }
};
struct KernelNumber {
  Faithful operator()(double x) const { return Faithful::input(x); }
};

/// One axis of a sample among L pixels. Where it is not further than `beyond` outside of the outermost pixels' centers,
/// it is moved between them and interpolates linearly, else there is nothing.
template <class R>
class AxisSample {
 public:
  template <class Place>
  AxisSample(std::int64_t L, const Rational& beyond, const Place& place)
      : point_(point(place(ExactNumber{}), L, beyond)) {}
  const AxisPoint& point() const { return point_; }
  bool is_inside() const { return !point_.pixels().empty(); }

 private:
  static AxisPoint point(const Rational& x, std::int64_t L, const Rational& beyond) {
    const Rational last(L - 1);
    if (x < Rational(0) - beyond || x > last + beyond) return AxisPoint(std::vector<WeightedPixel>{});
    return sampled({Resampling::linear}, std::clamp(x, Rational(0), last), L, Padding::border, true,
                   ZeroWeights::left_out);
  }
  AxisPoint point_;
};
template <>
class AxisSample<Faithful> {
 public:
  template <class Place>
  AxisSample(std::int64_t L, const Rational& beyond, const Place& place)
      : AxisSample(L, beyond, ComputedPlace(place(ExactNumber{}), place(KernelNumber{}))) {}
  const ComputedPoint& point() const { return point_; }
  bool is_inside() const { return is_inside_; }
  bool is_open() const { return is_open_; }  ///< kernels may have it on the other side

 private:
  AxisSample(std::int64_t L, const Rational& beyond, const ComputedPlace& place);
  bool is_inside_, is_open_;
  ComputedPoint point_;
};

/// The mean of some of these numbers, whichever kernels take.
class MeanOfSome {
 public:
  void add(const Faithful& x) {
    least_ = least_ ? min(*least_, x) : x;
    most_ = most_ ? max(*most_, x) : x;
  }
  Faithful any() const { return least_ ? hull(*least_, *most_) : Faithful(0.0); }

 private:
  std::optional<Faithful> least_, most_;
};

/// What a plane shows there, a row having `columns` pixels: x(at) is the element at a position in it.
template <class R, class X>
R sample_of(const AxisSample<R>& row, const AxisSample<R>& column, std::int64_t columns, const X& x) {
  const std::array<std::int64_t, 2> strides{columns, 1};
  if (!row.is_inside() || !column.is_inside()) return R(0.0);
  if constexpr (std::is_same_v<R, Faithful>) {
    const Faithful inside = interpolated(std::array{row.point(), column.point()}, strides, 0, x);
    return row.is_open() || column.is_open() ? hull(inside, 0.0) : inside;
  } else {
    return interpolated<R>(std::array{&row.point(), &column.point()}, strides, 0, x);
  }
}
}  // namespace opref::ops
