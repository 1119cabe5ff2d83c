// SPDX-License-Identifier: Apache-2.0
#include "ops/common/resized_axis.h"

#include <algorithm>
#include <type_traits>

#include "core/error.h"

namespace opref::ops {
namespace {

const Rational kHalf = Rational(1) / Rational(2);

template <class R>
R number_as(const Rational& number) {
  if constexpr (std::is_same_v<R, Rational>)
    return number;
  else
    return static_cast<R>(number.nearby());
}

/// In the arithmetic of R.
template <class R>
R place_as(const Resizing& how, const ResizedAxis& axis, std::int64_t coordinate) {
  const auto whole = [](std::int64_t n) { return number_as<R>(Rational(n)); };
  const R x = whole(coordinate), L = whole(axis.L), O = whole(axis.O), one = whole(1), two = whole(2),
          half = number_as<R>(kHalf), scale = number_as<R>(axis.scale), start = number_as<R>(axis.start),
          end = number_as<R>(axis.end), resized = number_as<R>(axis.resized);
  switch (how.coordinate) {
    case Coordinate::half_pixel:
      return (x + half) / scale - half;
    case Coordinate::pytorch_half_pixel:
      return axis.O > 1 ? (x + half) / scale - half : whole(0);
    case Coordinate::half_pixel_symmetric:
      return L / two * (one - O / (L * scale)) + (x + half) / scale - half;
    case Coordinate::align_corners:
      return coordinate == 0 || resized == one ? whole(0) : x * (L - one) / (resized - one);
    case Coordinate::asymmetric:
      return x / scale;
    case Coordinate::tf_half_pixel_for_nn:
      return (x + half) / scale;
    case Coordinate::tf_crop_and_resize:
      if (axis.O > 1 && resized != one) return start * (L - one) + x * (end - start) * (L - one) / (resized - one);
      return (start + end) * (L - one) / two;
  }
  return x;
}
Rational nearest_of(Rounded rounded, const Rational& x, const Rational& scale) {
  switch (rounded) {
    case Rounded::prefer_floor:
      return (x - kHalf).ceil();
    case Rounded::prefer_ceil:
      return (x + kHalf).floor();
    case Rounded::floor:
      return x.floor();
    case Rounded::ceil:
      return x.ceil();
    case Rounded::by_scale:
      return scale >= Rational(1) ? x.floor() : x.ceil();
  }
  return x;
}

// Weights h(s·(i - x)) over all whole i within reach, divided by their sum; s is the scale, if antialias narrows it.
AxisPoint filtered(const Resizing& how, const ResizedAxis& axis, const Rational& x) {
  constexpr std::int64_t kMost = std::int64_t{1} << 20, kFar = std::int64_t{1} << 60;
  const bool is_wider = how.antialias && axis.scale < Rational(1);
  const Filter filter{how.mode, how.cubic_a, is_wider ? axis.scale : Rational(1)};
  std::int64_t first = filter.first(x).clamped(-kFar, kFar), last = filter.last(x).clamped(-kFar, kFar);
  if (how.excludes_outside) first = std::max<std::int64_t>(first, 0), last = std::min(last, axis.L - 1);
  if (last - first >= kMost)
    fail(Fault::unsupported, "an element of {} pixels along an axis, more than {}", last - first + 1, kMost);
  std::vector<WeightedPixel> pixels;
  Rational sum(0);
  for (std::int64_t i = first; i <= last; ++i) {
    const Rational weight = filter.weight(i, x);
    const std::int64_t pixel = std::clamp<std::int64_t>(i, 0, axis.L - 1);
    // What is clamped to an edge is one pixel there, its weights added up.
    if (!pixels.empty() && pixels.back().pixel == pixel)
      pixels.back().weight = pixels.back().weight + weight;
    else
      pixels.push_back({pixel, weight});
    sum = sum + weight;
  }
  require(sum != Rational(0), "the weights of the pixels around coordinate {} add up to 0", to_text(x));
  for (WeightedPixel& pixel : pixels) pixel.weight = pixel.weight / sum;
  return AxisPoint(pixels, how.zeros);
}

constexpr std::int64_t kMost = std::int64_t{1} << 62;

}  // namespace

void ResizedAxis::take_scale(const Rational& by, bool of_whole, bool in_float32) {
  const auto product = [&]<class R>(R length, R from, R to, R factor) {
    return of_whole ? length * factor : length * (to - from) * factor;
  };
  scale = by;
  const auto narrow = [](const Rational& x) { return number_as<float>(x); };
  const Rational size =
      in_float32 ? Rational::of_float32(product(static_cast<float>(L), narrow(start), narrow(end), narrow(by)))
                 : product(Rational(L), start, end, by);
  require(size < Rational(kMost),
          "an axis of {} elements would have {} by the scale {}, which does not fit into 64 bits", L,
          to_text(size.floor()), to_text(scale));
  O = size.clamped(0, kMost);
}
void ResizedAxis::take_size(std::int64_t size) {
  scale = Rational(size) / Rational(L);
  O = size;
}
bool ResizedAxis::is_whole() const {
  return scale == Rational(1) && O == L && start == Rational(0) && end == Rational(1);
}

void take_common_scale(std::vector<ResizedAxis>& all, const std::vector<size_t>& axes, bool greatest, bool by_ratio) {
  std::vector<Rational> ratios;
  for (const size_t a : axes) ratios.push_back(all[a].scale);
  const auto [least, most] = std::ranges::minmax_element(ratios);
  const Rational common = greatest ? *most : *least;
  for (const size_t a : axes) {
    ResizedAxis& axis = all[a];
    axis.O = (common * Rational(axis.L) + kHalf).clamped(0, kMost);
    axis.scale = by_ratio && axis.O > 0 ? Rational(axis.O) / Rational(axis.L) : common;
  }
}

Coordinate coordinate_named(std::string_view name) {
  constexpr std::string_view kNames[] = {"half_pixel",          "pytorch_half_pixel", "align_corners",
                                         "asymmetric",          "tf_crop_and_resize", "tf_half_pixel_for_nn",
                                         "half_pixel_symmetric"};
  return static_cast<Coordinate>(std::ranges::find(kNames, name) - std::begin(kNames));
}

Rational place_of(const Resizing& how, const ResizedAxis& axis, std::int64_t coordinate) {
  return place_as<Rational>(how, axis, coordinate);
}
Rational place_in_float32(const Resizing& how, const ResizedAxis& axis, std::int64_t coordinate) {
  return Rational::of_float32(place_as<float>(how, axis, coordinate));
}
std::int64_t nearest_pixel(const Resizing& how, const ResizedAxis& axis, const Rational& x) {
  return nearest_of(how.rounded, x, axis.scale).clamped(0, axis.L - 1);
}

AxisPoint PointsOfAxis::made(std::int64_t o) const {
  if (axis_.is_copied) return AxisPoint(o);
  const Rational x = how_.place(how_, axis_, o), last(axis_.L - 1);
  if (how_.coordinate == Coordinate::tf_crop_and_resize && (x < Rational(0) || x > last))
    return AxisPoint(std::vector<WeightedPixel>{});
  if (how_.mode != Resampling::nearest) return filtered(how_, axis_, x);
  return AxisPoint(nearest_pixel(how_, axis_, x));
}

}  // namespace opref::ops
