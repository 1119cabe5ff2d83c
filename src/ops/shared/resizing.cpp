// SPDX-License-Identifier: Apache-2.0
#include "ops/shared/resizing.h"
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>
#include <type_traits>

#include "core/error.h"
#include "core/nearly.h"
#include "evaluators/axis_moves.h"
#include "evaluators/elements.h"
#include "evaluators/move.h"
#include "evaluators/programs.h"
#include "evaluators/weighted_sums.h"
#include "exact/convert.h"
#include "ops/shared/computed_places.h"
namespace opref::ops {
namespace {
const Rational kHalf = Rational(1) / Rational(2);

template <class R>
R number_as(const Rational& number) {
  if constexpr (std::is_same_v<R, Rational>)
    return number;
  else if constexpr (std::is_same_v<R, Faithful>)
    return computed(number);
  else
    return static_cast<R>(number.nearby());
}

template <class R>
R divisor_as(const Rational& number) {
  if constexpr (std::is_same_v<R, Faithful>)
    return computed_divisor(number);
  else
    return number_as<R>(number);
}

/// In the arithmetic of R.
template <class R>
R place_as(const Resizing& how, const ResizedAxis& axis, std::int64_t coordinate) {
  const auto whole = [](std::int64_t n) { return number_as<R>(Rational(n)); };
  const R x = whole(coordinate), L = whole(axis.L), O = whole(axis.O), one = whole(1), two = whole(2),
          half = number_as<R>(kHalf), scale = divisor_as<R>(axis.scale), start = number_as<R>(axis.start),
          end = number_as<R>(axis.end), resized = number_as<R>(axis.resized);
  switch (how.coordinate) {
    case Coordinate::half_pixel:
      return (x + half) / scale - half;
    case Coordinate::pytorch_half_pixel:
      return axis.O > 1 ? (x + half) / scale - half : whole(0);
    case Coordinate::half_pixel_symmetric:
      return L / two * (one - O / (L * scale)) + (x + half) / scale - half;
    case Coordinate::align_corners:
      return coordinate == 0 || axis.resized == Rational(1) ? whole(0) : x * (L - one) / (resized - one);
    case Coordinate::asymmetric:
      return x / scale;
    case Coordinate::tf_half_pixel_for_nn:
      return (x + half) / scale;
    case Coordinate::tf_crop_and_resize:
      if (axis.O > 1 && axis.resized != Rational(1))
        return start * (L - one) + x * (end - start) * (L - one) / (resized - one);
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

// Weights h(s·(i - x)) over all whole i within reach, divided by their sum; s is the scale, if antialias changes it.
Filter filter_of(const Resizing& how, const ResizedAxis& axis) {
  const bool is_changed = how.antialias && (axis.scale < Rational(1) || how.narrows);
  return {how.mode, how.cubic_a, is_changed ? axis.scale : Rational(1)};
}
AxisPoint filtered(const Resizing& how, const ResizedAxis& axis, const Rational& x) {
  constexpr std::int64_t kMost = std::int64_t{1} << 20, kFar = std::int64_t{1} << 60;
  const Filter filter = filter_of(how, axis);
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
  if (sum == Rational(0)) {
    if (how.narrows) return AxisPoint(std::vector<WeightedPixel>{});
    fail(Fault::invalid, "the weights of the pixels around coordinate {} add up to 0", to_text(x));
  }
  for (WeightedPixel& pixel : pixels) pixel = {axis.in_X(pixel.pixel), pixel.weight / sum};
  std::erase_if(pixels, [](const WeightedPixel& pixel) { return pixel.pixel < 0; });
  return AxisPoint(pixels, how.zeros);
}

constexpr std::int64_t kMostScaled = std::int64_t{1} << 62;
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
  require(size < Rational(kMostScaled),
          "an axis of {} elements would have {} by the scale {}, which does not fit into 64 bits", L,
          to_text(size.floor()), to_text(scale));
  O = size.clamped(0, kMostScaled);
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
    axis.O = (common * Rational(axis.L) + kHalf).clamped(0, kMostScaled);
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

namespace {
bool is_outside(const Resizing& how, const ResizedAxis& axis, const Rational& x) {
  return how.coordinate == Coordinate::tf_crop_and_resize && (x < Rational(0) || x > Rational(axis.L - 1));
}
}  // namespace
AxisPoint PointsOfAxis::made(std::int64_t o) const {
  if (axis_.is_copied && axis_.in_X(o) >= 0) return AxisPoint(axis_.in_X(o));
  if (axis_.is_copied) return AxisPoint(std::vector<WeightedPixel>{});
  const Rational x = how_.place(how_, axis_, o);
  if (is_outside(how_, axis_, x)) return AxisPoint(std::vector<WeightedPixel>{});
  return filtered(how_, axis_, x);
}
namespace {
ComputedPlace computed_place(const Resizing& how, const ResizedAxis& axis, std::int64_t o) {
  return {how.place(how, axis, o), place_as<Faithful>(how, axis, o)};
}
/// Where a kernel that computes the place may have the point.
enum class Side : std::uint8_t { inside, outside, either };
Side side_of(const Resizing& how, const ResizedAxis& axis, std::int64_t o) {
  if (axis.is_copied || how.coordinate != Coordinate::tf_crop_and_resize) return Side::inside;
  const auto [x, e] = computed_place(how, axis, o);
  if (may_cross(x, e, Rational(0)) || may_cross(x, e, Rational(axis.L - 1))) return Side::either;
  return is_outside(how, axis, x) ? Side::outside : Side::inside;
}
/// f() of the element at this place of Y, or the extrapolation, or any number of both.
template <class F>
Faithful inside_or_not(const Resizing& how, const Dims& at, const Faithful& extrapolation, const F& f) {
  bool is_open = false;
  for (size_t a = 0; a < at.size(); ++a) {
    const Side side = side_of(how, how.axes[a], at[a]);
    if (side == Side::outside) return extrapolation;
    is_open |= side == Side::either;
  }
  return is_open ? hull(f(), extrapolation) : f();
}
ComputedPoint computed_point(const Resizing& how, const ResizedAxis& axis, std::int64_t o) {
  if (axis.is_copied) return ComputedPoint(axis.in_X(o));
  const auto pixel = [&](std::int64_t i) {
    if (how.excludes_outside && (i < 0 || i >= axis.L)) return kLeftOut;
    return axis.in_X(std::clamp<std::int64_t>(i, 0, axis.L - 1));
  };
  const Filter filter = filter_of(how, axis);
  const ComputedPlace place = computed_place(how, axis, o);
  const ComputedPoint point(filter, place, pixel, how.excludes_outside || filter.s != Rational(1));
  if (!how.narrows || !filtered(how, axis, place.x).pixels().empty()) return point;
  // No pixel, or by a kernel's place perhaps one.
  return point.taps().empty() || place.error == 0 ? ComputedPoint(kZero)
                                                  : ComputedPoint(filter, {place.x, kUnknown}, pixel);
}

class Resampled {
 public:
  Resampled(const Resizing& how, const Tensor& X, const Dims& y) : how_(how), y_(y), strides_(strides_of(X.shape())) {
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
  /// Element i as kernels compute it.
  template <class X>
  Faithful computed_at(std::int64_t i, const Faithful& extrapolation, const X& x) const {
    const Dims at = coordinates(i, y_);
    return inside_or_not(how_, at, extrapolation, [&] {
      std::vector<ComputedPoint> points;
      for (size_t a = 0; a < at.size(); ++a) points.push_back(computed_point(how_, how_.axes[a], at[a]));
      return ops::interpolated(points, strides_, 0, x);
    });
  }
  const Dims& strides() const { return strides_; }
  Dims place(std::int64_t i) const { return coordinates(i, y_); }
  /// The same sums for rows.
  Rows rows(const Tensor& X) const;
  template <class Tell>
  void tell_place(std::int64_t i, size_t a, const Tell& tell) const {
    const std::int64_t o = place(i)[a];
    const ResizedAxis& axis = how_.axes[a];
    tell_coordinate(format("x_original along axis {}", a), place_of(how_, axis, o), place_in_float32(how_, axis, o),
                    tell);
  }

 private:
  const Resizing& how_;
  Dims y_, strides_;
  std::vector<PointsOfAxis> axes_;
};

/// Weights along an axis over one denominator, if it is small, else as quotients.
WeightedAxis weighted(const PointsOfAxis& points, const ResizedAxis& axis, double& divisor) {
  constexpr std::int64_t kMostCommon = std::int64_t{1} << 26;
  std::optional<AxisPoint> room;
  std::int64_t common = 1;
  for (std::int64_t o = 0; o < axis.O && common <= kMostCommon; ++o) {
    const std::int64_t own = points.at(o, room).denominator().as<Rational>().clamped(1, kMostCommon + 1);
    common = own > kMostCommon ? own : std::lcm(common, own);
  }
  if (common > kMostCommon || std::has_single_bit(static_cast<std::uint64_t>(common))) common = 1;
  divisor *= nearly(common);
  WeightedAxis weighted{axis.L - axis.before - axis.after, {}};
  for (std::int64_t o = 0; o < axis.O; ++o) {
    const AxisPoint& point = points.at(o, room);
    for (const auto& [at, numerator] : point.pixels())
      weighted.places.add(at, numerator.as<Bounded>() * Bounded(nearly(common)) / point.denominator().as<Bounded>());
    weighted.places.next();
  }
  return weighted;
}

Rows Resampled::rows(const Tensor& X) const {
  double divisor = 1;
  std::vector<WeightedAxis> axes;
  for (size_t a = 0; a < axes_.size(); ++a) {
    if (!axes_[a].is_tabled()) return nullptr;
    axes.push_back(weighted(axes_[a], how_.axes[a], divisor));
  }
  return divisor <= 0x1p53 ? rows_of_axes(X, std::move(axes), divisor) : nullptr;
}

struct RealSum {
  const Resampled& resampled;
  Elements X;
  double extrapolation;
  bool has_parts;

  template <class R>
  R operator()(std::int64_t i, const Reader<R>& x) const {
    R y(has_parts && i % 2 != 0 ? 0.0 : extrapolation);
    const auto number = [&](std::int64_t at) { return x(X, at); };
    if constexpr (std::is_same_v<R, Faithful>)
      return resampled.computed_at(i, y, number);
    else
      resampled.at(i, [&](std::span<const AxisPoint* const> points) {
        if constexpr (std::is_same_v<R, Interval>)
          for (size_t a = 0; a < points.size(); ++a)
            if (points[a]->pixels().size() > 1)
              resampled.tell_place(i, a, [&](const std::string& name, const Interval& place) { x.named(name, place); });
        y = interpolated<R>(points, resampled.strides(), 0, number);
      });
    return y;
  }
};

/// As the integer that the reading makes of it; infinities are beyond all integers.
struct ToInteger {
  DType dtype;
  Fraction fraction;
  Beyond beyond;
  std::uint64_t operator()(const Rational& number) const { return integer_of(number, dtype, fraction, beyond); }
  std::uint64_t operator()(double number) const {
    constexpr double kGreatest = std::numeric_limits<double>::max();
    return (*this)(std::isnan(number) ? Rational(0) : Rational::of(std::clamp(number, -kGreatest, kGreatest)));
  }
};

std::optional<Tensor> fill(double extrapolation, const ToInteger& to_integer) {
  if (to_integer.dtype == DType::string) return std::nullopt;
  if (!types::integers.contains(to_integer.dtype)) return fill_of(extrapolation, to_integer.dtype);
  return tensor_of_bits({to_integer.dtype, {}}, [&](std::int64_t) { return to_integer(extrapolation); });
}

/// What becomes of integers that float32 holds: a right kernel interpolates them between places that it computes.
void tell_rounded(const Output& out, const Tensor& X, const Resampled& resampled, double extrapolation,
                  Fraction fraction) {
  const Elements elements(X);
  const Reader<Faithful> x;
  tell_bounds(out, [&](std::int64_t i) {
    const Faithful y =
        resampled.computed_at(i, Faithful(extrapolation), [&](std::int64_t from) { return x(elements, from); });
    return fraction == Fraction::truncate ? truncate(y) : round(y);
  });
}

/// Which place is which pixel.
void tell_nearest(TermSink& sink, const Resizing& how, const Dims& at) {
  for (size_t a = 0; a < how.axes.size(); ++a) {
    const ResizedAxis& axis = how.axes[a];
    if (axis.is_copied) continue;
    const auto pixel = [&](const Rational& x) { return nearest_pixel(how, axis, x); };
    const Rational exact = place_of(how, axis, at[a]), narrow = place_in_float32(how, axis, at[a]);
    tell_coordinate(format("x_original along axis {}", a), exact, narrow,
                    [&](const std::string& name, const Interval& x) { sink.real(name, x); });
    sink.real(format("pixel along axis {}", a), Rational(pixel(exact)).interval());
    if (pixel(exact) != pixel(narrow))
      sink.real(format("pixel along axis {}, in float32", a), Rational(pixel(narrow)).interval());
  }
}

/// The pixels that kernels take which compute the places.
void tell_computed(const Output& out, const Tensor& X, const Resizing& how) {
  const Elements elements(X);
  const Dims strides = strides_of(X.shape());
  const Reader<Faithful> x;
  tell_bounds(out, [&](std::int64_t i) {
    const Dims at = coordinates(i, out.type().shape);
    return inside_or_not(how, at, how.extrapolation, [&] {
      std::vector<std::vector<std::int64_t>> pixels;
      for (size_t a = 0; a < at.size(); ++a) {
        const ResizedAxis& axis = how.axes[a];
        const auto pixel = [&](const Rational& place) { return axis.in_X(nearest_pixel(how, axis, place)); };
        if (axis.is_copied)
          pixels.push_back({axis.in_X(at[a])});
        else
          pixels.push_back(nearest_pixels(computed_place(how, axis, at[a]), pixel));
      }
      return any_pixel(pixels, strides, 0, [&](std::int64_t from) { return x(elements, from); });
    });
  });
}

Tensor nearest(const Output& out, const Tensor& X, const Resizing& how, const std::optional<Tensor>& fill) {
  if (out.sink() != nullptr && (types::numbers | DType::bfloat16).contains(X.dtype()) &&
      out.sink()->asks_for_bounds()) {
    tell_computed(out, X, how);
    return zeros_of(out.type());
  }
  if (out.sink() != nullptr && out.only()) tell_nearest(*out.sink(), how, coordinates(*out.only(), out.type().shape));
  return move_by_axes(
      out, X,
      [&](size_t a, std::int64_t o) -> std::int64_t {
        const ResizedAxis& axis = how.axes[a];
        if (axis.is_copied) return axis.in_X(o);
        const Rational x = how.place(how, axis, o);
        return is_outside(how, axis, x) ? -1 : axis.in_X(nearest_pixel(how, axis, x));
      },
      fill);
}
}  // namespace
Tensor resized(const Output& out, const Tensor& X, const Resizing& how, std::string_view integer_reading) {
  const auto& [dtype, y] = out.type();
  if (element_count(y) == 0) return zeros_of(out.type());
  const ToInteger to_integer{
      dtype, out.call().reads(integer_reading, "truncate") ? Fraction::truncate : Fraction::nearest_even,
      out.call().reads(integer_reading, "wrap") ? Beyond::wrap : Beyond::saturate};
  if (how.mode == Resampling::nearest) return nearest(out, X, how, fill(how.extrapolation, to_integer));
  if (types::complexes.contains(dtype)) {
    Resizing of_parts = how;
    of_parts.axes.push_back({2, 2});
    return by_parts(out, X, [&](const Output& inner, const Tensor& parts) {
      const Resampled resampled(of_parts, parts, inner.type().shape);
      return real(inner, RealSum{resampled, Elements(parts), how.extrapolation, true}, {}, resampled.rows(parts));
    });
  }
  const Resampled resampled(how, X, y);
  const Elements elements(X);
  if (elements.is_floating())
    return real(out, RealSum{resampled, elements, how.extrapolation, false}, {}, resampled.rows(X));
  if (out.sink() != nullptr && info(dtype).bits <= 16 && to_integer.beyond == Beyond::saturate &&
      out.sink()->asks_for_bounds()) {
    tell_rounded(out, X, resampled, how.extrapolation, to_integer.fraction);
    return zeros_of(out.type());
  }
  const std::uint64_t outside = to_integer(how.extrapolation);
  return wholes(out, [&](std::int64_t i, const WholeReader& x) {
    std::uint64_t bits = outside;
    resampled.at(i, [&](std::span<const AxisPoint* const> points) {
      bits = to_integer(interpolated<Rational>(points, resampled.strides(), 0,
                                               [&](std::int64_t at) { return Rational::of_wide(x(elements, at)); }));
    });
    return bits;
  });
}

std::vector<ValueType> resized_types(const Call& call, const Resizing& how) {
  Dims y;
  for (const ResizedAxis& axis : how.axes) y.push_back(axis.O);
  return {TensorType{image_type(call).dtype, y}};
}

Rational scale_of(std::string_view name, size_t i, double scale, std::int64_t least) {
  require(std::isfinite(scale) && scale > 0 && scale >= nearly(least), "{}[{}] is {}, but must be finite and {}", name,
          i, scale, least > 0 ? ">= 1" : "> 0");
  return Rational::of(scale);
}

std::vector<double> list_input(const Call& call, std::string_view input) {
  const Tensor& numbers = call.input(input);
  require(numbers.shape().size() == 1, "{} has shape {}, but must be a list", input, numbers.shape());
  const evaluators::Elements elements(numbers);
  std::vector<double> list;
  for (std::int64_t i = 0; i < numbers.count(); ++i) list.push_back(elements.number(i));
  return list;
}

Resizing upsampling(const Call& call, std::span<const double> scales, std::int64_t least, std::string_view nearest,
                    std::string_view linear) {
  require_mode(call);
  const Dims& x = call.type("X").shape;
  require(scales.size() == x.size(), "scales has {} elements, but X has rank {}", scales.size(), x.size());
  Resizing how;
  how.mode = call.string("mode") == "nearest" ? Resampling::nearest : Resampling::linear;
  if (how.mode == Resampling::linear && call.reads(linear, "align_corners")) how.coordinate = Coordinate::align_corners;
  if (call.reads(nearest, "floor")) how.rounded = Rounded::floor;
  if (call.reads(nearest, "round")) how.rounded = Rounded::prefer_floor;
  how.zeros = zero_weights(call);
  for (size_t a = 0; a < x.size(); ++a) {
    ResizedAxis axis{x[a], x[a]};
    axis.take_scale(scale_of("scales", a, scales[a], least), true, call.reads("resize.scale_product", "float32"));
    axis.resized = Rational(axis.O), axis.is_copied = axis.scale == Rational(1);
    how.axes.push_back(axis);
  }
  return how;
}
namespace {
bool is_nearest(const Call& call) { return call.string("mode") == "nearest"; }
bool is_not_nearest(const Call& call) { return call.string("mode") != "nearest"; }
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
Reading scale_product_reading() {
  return {.name = "resize.scale_product",
          .alternatives = {"exact: the size is the floor of the product of the numbers as they are",
                           "float32: the product is rounded to float32 before the floor"},
          .defaults = {{1, "exact"}},
          .reason = "the text's formula; onnx.reference and inference do; onnxruntime and OpenVINO round"};
}
Reading resized_integer_reading(std::string_view name, std::int64_t since) {
  return {.name = name,
          .alternatives = {"nearest: rounded, halves to even, and saturated", "truncate: toward zero, and saturated",
                           "wrap: rounded, halves to even, and modulo 2^bits"},
          .defaults = {{since, "nearest"}},
          .reason = "the text is silent; onnx.reference does",
          .may_change_values = [](const Call& call) {
            constexpr std::string_view kMapping = "coordinate_transformation_mode";
            const bool extrapolates =
                call.schema().find_attribute(kMapping) != nullptr && call.string(kMapping) == "tf_crop_and_resize";
            return interpolates_integers(call) || (extrapolates && types::integers.contains(image_type(call).dtype));
          }};
}
}  // namespace opref::ops
