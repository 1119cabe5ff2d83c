// SPDX-License-Identifier: Apache-2.0
// Elements between the pixels of an image: sums of pixels times weights, which are exact quotients along each axis.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "families/programs.h"
#include "ops/common/rational.h"

namespace opref::ops {

/// bool and strings are moved alone: by mode nearest.
void require_mode(const Call& call);

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

struct WeightedPixel {
  std::int64_t pixel;
  Rational weight;
};
/// A place along an axis: the pixels around it, their weights over one denominator. Pixels of weight 0 take no part.
class AxisPoint {
 public:
  AxisPoint(const Rational& place, const std::vector<WeightedPixel>& pixels);
  /// The pixel itself.
  explicit AxisPoint(std::int64_t pixel) : AxisPoint(Rational(pixel), {{pixel, Rational(1)}}) {}

  struct Pixel {
    std::int64_t at;
    WholeNumber numerator;
  };
  const Rational& place() const { return place_; }
  const std::vector<Pixel>& pixels() const { return pixels_; }
  const WholeNumber& denominator() const { return denominator_; }

 private:
  Rational place_;
  std::vector<Pixel> pixels_;
  WholeNumber denominator_;
};

/// The kernel of linear interpolation, max(1 - |d|, 0), and that of cubic convolution (Keys, 1981).
Rational triangle(const Rational& d);
Rational keys(const Rational& d, const Rational& a);

/// f(place, weight) of the pixels around a point, row-major, strides[a] elements apart along axis a.
template <class R, class F>
void each_pixel(std::span<const AxisPoint* const> points, std::span<const std::int64_t> strides, std::int64_t at,
                const R& weight, const F& f) {
  if (points.empty()) return f(at, weight);
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

/// How an integer type takes a number between two.
enum class Fraction : std::uint8_t { nearest_even, truncate };
enum class Beyond : std::uint8_t { saturate, wrap };
std::uint64_t integer_of(const Rational& number, DType dtype, Fraction fraction, Beyond beyond);

/// A complex tensor with its parts, of a floating type, along an axis after the others, and the opposite.
Tensor parts_of(const Tensor& x);
TensorType parts_type(const TensorType& type);

}  // namespace opref::ops
