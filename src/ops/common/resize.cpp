// SPDX-License-Identifier: Apache-2.0
#include "ops/common/resize.h"

#include <array>
#include <cmath>
#include <cstring>
#include <type_traits>

#include "core/error.h"
#include "exact/convert.h"
#include "families/move.h"
#include "families/programs.h"
#include "ops/common/interpolation.h"

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

/// x_original of output coordinate x: exact, or in the arithmetic of R.
template <class R = Rational>
R place_of(const Resizing& how, const ResizedAxis& axis, std::int64_t coordinate) {
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
Rational place_in_float32(const Resizing& how, const ResizedAxis& axis, std::int64_t coordinate) {
  return Rational::of_float32(place_of<float>(how, axis, coordinate));
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
  const Rational s = how.antialias && axis.scale < Rational(1) ? axis.scale : Rational(1);
  const Rational reach = Rational(how.mode == Resampling::cubic ? 2 : 1) / s;
  std::int64_t first = (x - reach).floor().clamped(-kFar, kFar), last = (x + reach).ceil().clamped(-kFar, kFar);
  if (how.excludes_outside) first = std::max<std::int64_t>(first, 0), last = std::min(last, axis.L - 1);
  if (last - first >= kMost)
    fail(Fault::unsupported, "an element of {} pixels along an axis, more than {}", last - first + 1, kMost);
  std::vector<WeightedPixel> pixels;
  Rational sum(0);
  for (std::int64_t i = first; i <= last; ++i) {
    const Rational d = s * (Rational(i) - x);
    const Rational weight = how.mode == Resampling::cubic ? keys(d, how.cubic_a) : triangle(d);
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
  return {x, pixels};
}

/// The pixels that meet in each coordinate; none outside of what tf_crop_and_resize sees.
class PointsOfAxis {
 public:
  PointsOfAxis(const Resizing& how, const ResizedAxis& axis) : how_(how), axis_(axis) {
    if (axis.O <= kTabled && axis.L > 0)
      for (std::int64_t o = 0; o < axis.O; ++o) table_.push_back(made(o));
  }
  const AxisPoint& at(std::int64_t o, std::optional<AxisPoint>& room) const {
    if (!table_.empty()) return table_[static_cast<size_t>(o)];
    return room.emplace(made(o));
  }

 private:
  static constexpr std::int64_t kTabled = 1 << 16;

  AxisPoint made(std::int64_t o) const {
    if (axis_.is_copied) return AxisPoint(o);
    const Rational x = how_.in_float32 ? place_in_float32(how_, axis_, o) : place_of(how_, axis_, o), last(axis_.L - 1);
    if (how_.coordinate == Coordinate::tf_crop_and_resize && (x < Rational(0) || x > last)) return {x, {}};
    if (how_.mode != Resampling::nearest) return filtered(how_, axis_, x);
    return {x, {{nearest_of(how_.rounded, x, axis_.scale).clamped(0, axis_.L - 1), Rational(1)}}};
  }

  const Resizing& how_;
  const ResizedAxis& axis_;
  std::vector<AxisPoint> table_;
};

class Resampled {
 public:
  Resampled(const Resizing& how, const Tensor& X, const Dims& y)
      : how_(how), X_(X), y_(y), strides_(strides_of(X.shape())) {
    for (const ResizedAxis& axis : how.axes) axes_.emplace_back(how, axis);
  }

  /// f(points) of element i; false where it lies outside.
  template <class F>
  bool at(std::int64_t i, const F& f) const {
    std::array<std::optional<AxisPoint>, Dims::kCapacity> rooms;
    std::array<const AxisPoint*, Dims::kCapacity> points{};
    const Dims at = coordinates(i, y_);
    for (size_t a = 0; a < axes_.size(); ++a) {
      points[a] = &axes_[a].at(at[a], rooms[a]);
      if (points[a]->pixels().empty()) return false;
    }
    f(std::span(points.data(), axes_.size()));
    return true;
  }
  const Dims& strides() const { return strides_; }
  const Tensor& X() const { return X_; }
  Dims place(std::int64_t i) const { return coordinates(i, y_); }
  template <class Tell>
  void tell_place(std::int64_t i, size_t a, const Tell& tell) const {
    const std::int64_t o = place(i)[a];
    const ResizedAxis& axis = how_.axes[a];
    tell_coordinate(format("x_original along axis {}", a), place_of(how_, axis, o), place_in_float32(how_, axis, o),
                    tell);
  }
  /// Of mode nearest: which place is which pixel.
  void tell(TermSink& sink, std::int64_t i) const {
    for (size_t a = 0; a < how_.axes.size(); ++a) {
      const ResizedAxis& axis = how_.axes[a];
      if (axis.is_copied) continue;
      const std::int64_t o = place(i)[a];
      const auto pixel = [&](const Rational& x) {
        return nearest_of(how_.rounded, x, axis.scale).clamped(0, axis.L - 1);
      };
      const Rational exact = place_of(how_, axis, o), narrow = place_in_float32(how_, axis, o);
      tell_place(i, a, [&](const std::string& name, const Interval& x) { sink.real(name, x); });
      sink.real(format("pixel along axis {}", a), Rational(pixel(exact)).interval());
      if (pixel(exact) != pixel(narrow))
        sink.real(format("pixel along axis {}, in float32", a), Rational(pixel(narrow)).interval());
    }
  }

 private:
  const Resizing& how_;
  const Tensor& X_;
  Dims y_, strides_;
  std::vector<PointsOfAxis> axes_;
};

struct RealSum {
  const Resampled& resampled;
  Elements X;
  double extrapolation;
  bool has_parts;

  template <class R>
  R operator()(std::int64_t i, const Reader<R>& x) const {
    R y(has_parts && i % 2 != 0 ? 0.0 : extrapolation);
    resampled.at(i, [&](std::span<const AxisPoint* const> points) {
      if constexpr (std::is_same_v<R, Interval>)
        for (size_t a = 0; a < points.size(); ++a)
          if (points[a]->pixels().size() > 1)
            resampled.tell_place(i, a, [&](const std::string& name, const Interval& place) { x.named(name, place); });
      y = interpolated<R>(points, resampled.strides(), 0, [&](std::int64_t at) { return x(X, at); });
    });
    return y;
  }
};

Tensor nearest(const Output& out, const Resampled& resampled, double extrapolation) {
  const DType dtype = out.type().dtype;
  std::optional<Tensor> fill;
  if (types::complexes.contains(dtype)) {
    const DType part = dtype == DType::complex64 ? DType::float32 : DType::float64;
    const std::uint64_t real = converted(Number::of(extrapolation), part, {});
    TensorBuilder one({dtype, Dims{1}});
    std::memcpy(one.bytes().data(), &real, one.bytes().size() / 2);
    fill = std::move(one).finish();
  } else if (dtype != DType::string) {
    const std::uint64_t bits = converted(Number::of(extrapolation), dtype, {});
    TensorBuilder one({dtype, Dims{1}});
    std::memcpy(one.bytes().data(), &bits, one.bytes().size());
    fill = std::move(one).finish();
  }
  if (out.sink() != nullptr && out.only()) resampled.tell(*out.sink(), *out.only());
  return move(
      out, resampled.X(),
      [&](std::int64_t i) {
        std::int64_t place = -1;
        const bool is_inside = resampled.at(i, [&](std::span<const AxisPoint* const> points) {
          place = 0;
          for (size_t a = 0; a < points.size(); ++a) place += points[a]->pixels()[0].at * resampled.strides()[a];
        });
        return is_inside ? Run{place} : Run::fill();
      },
      fill);
}

}  // namespace

Resizing in_float32(Resizing how) {
  how.in_float32 = true;
  return how;
}

Tensor resized(const Output& out, const Tensor& X, const Resizing& how, std::string_view integer_reading) {
  const auto& [dtype, y] = out.type();
  if (element_count(y) == 0) return zeros_of(out.type());
  if (how.mode == Resampling::nearest) return nearest(out, Resampled(how, X, y), how.extrapolation);
  if (types::complexes.contains(dtype)) {
    Resizing of_parts = how;
    of_parts.axes.push_back({2, 2});
    const Tensor parts = parts_of(X);
    const Output inner = out.inner(parts_type(out.type()));
    const Resampled resampled(of_parts, parts, inner.type().shape);
    const Tensor sums = real(inner, RealSum{resampled, Elements(parts), how.extrapolation, true});
    return Tensor::copy_of(out.type(), sums.bytes());
  }
  const Resampled resampled(how, X, y);
  const Elements elements(X);
  if (elements.is_floating()) return real(out, RealSum{resampled, elements, how.extrapolation, false});
  const Fraction fraction = out.call().reads(integer_reading, "truncate") ? Fraction::truncate : Fraction::nearest_even;
  const Beyond beyond = out.call().reads(integer_reading, "wrap") ? Beyond::wrap : Beyond::saturate;
  return wholes(out, [&](std::int64_t i, const WholeReader& x) {
    Rational sum = std::isfinite(how.extrapolation) ? Rational::of(how.extrapolation) : Rational(0);
    resampled.at(i, [&](std::span<const AxisPoint* const> points) {
      sum = interpolated<Rational>(points, resampled.strides(), 0,
                                   [&](std::int64_t at) { return Rational::of_wide(x(elements, at)); });
    });
    return integer_of(sum, out.type().dtype, fraction, beyond);
  });
}

Rational scale_of(std::string_view name, size_t i, double scale, std::int64_t least) {
  require(std::isfinite(scale) && scale > 0 && scale >= static_cast<double>(least),
          "{}[{}] is {}, but must be finite and {}", name, i, scale, least > 0 ? ">= 1" : "> 0");
  return Rational::of(scale);
}

std::vector<double> scales_input(const Call& call) {
  const Tensor& scales = call.input("scales");
  require(scales.shape().size() == 1, "scales has shape {}, but must be a list", scales.shape());
  const Elements elements(scales);
  std::vector<double> list;
  for (std::int64_t i = 0; i < scales.count(); ++i) list.push_back(elements.number(i));
  return list;
}

Resizing upsampling(const Call& call, std::span<const double> scales, std::int64_t least, std::string_view nearest,
                    std::string_view linear) {
  constexpr std::int64_t kMost = std::int64_t{1} << 62;
  require_mode(call);
  const Dims& x = call.type("X").shape;
  require(scales.size() == x.size(), "scales has {} elements, but X has rank {}", scales.size(), x.size());
  Resizing how;
  how.mode = call.string("mode") == "nearest" ? Resampling::nearest : Resampling::linear;
  if (how.mode == Resampling::linear && call.reads(linear, "align_corners")) how.coordinate = Coordinate::align_corners;
  if (call.reads(nearest, "floor")) how.rounded = Rounded::floor;
  if (call.reads(nearest, "round")) how.rounded = Rounded::prefer_floor;
  for (size_t a = 0; a < x.size(); ++a) {
    const Rational s = scale_of("scales", a, scales[a], least), resized = Rational(x[a]) * s;
    const std::int64_t O = resized.clamped(0, kMost);
    how.axes.push_back({x[a], O, s, 0, 1, Rational(O), s == Rational(1)});
  }
  return how;
}

std::vector<ValueType> resized_types(const Call& call, const Resizing& how) {
  Dims y;
  for (const ResizedAxis& axis : how.axes) y.push_back(axis.O);
  return {TensorType{call.type("X").dtype, y}};
}

namespace {

bool is_nearest(const Call& call) { return call.string("mode") == "nearest"; }
bool is_not_nearest(const Call& call) { return call.string("mode") != "nearest"; }
bool interpolates_integers(const Call& call) {
  return is_not_nearest(call) && types::integers.contains(call.type("X").dtype);
}
std::vector<std::pair<std::int64_t, std::string_view>> from_until(std::int64_t since, std::int64_t until,
                                                                  std::string_view alternative) {
  if (until == 0) return {{since, alternative}};
  return {{since, alternative}, {until, ""}};
}

}  // namespace

Reading old_nearest_reading(std::string_view name, std::int64_t since, std::int64_t until) {
  return {.name = name,
          .alternatives = {"by_scale: of x/s the floor where s >= 1, else the ceiling", "floor: the floor of x/s",
                           "round: the nearest of x/s, halves down"},
          .defaults = from_until(since, until, "by_scale"),
          .reason = "the page does not say; the data published with opset 10 and onnxruntime take it so",
          .may_change_values = is_nearest};
}
Reading old_linear_reading(std::string_view name, std::int64_t since, std::int64_t until) {
  return {.name = name,
          .alternatives = {"asymmetric: x/s, the edge repeated", "align_corners: the corners of X are those of Y"},
          .defaults = from_until(since, until, "asymmetric"),
          .reason = "the page does not say; the data published with opset 10 take it so",
          .may_change_values = is_not_nearest};
}
Reading resized_integer_reading(std::string_view name, std::int64_t since) {
  return {.name = name,
          .alternatives = {"nearest: rounded, halves to even, and saturated", "truncate: toward zero, and saturated",
                           "wrap: rounded, halves to even, and modulo 2^bits"},
          .defaults = {{since, "nearest"}},
          .reason = "the text is silent; onnx.reference does",
          .may_change_values = interpolates_integers};
}

}  // namespace opref::ops
