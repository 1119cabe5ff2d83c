// SPDX-License-Identifier: Apache-2.0
// ai.onnx GridSample, versions 16, 20, 22
// https://onnx.ai/onnx/operators/onnx__GridSample.html
#include "ops/operator_file.h"
#include "ops/shared/computed_places.h"
#include "ops/shared/images.h"
#include "ops/shared/resizing.h"
#include "ops/shared/windows.h"
namespace opref::ops::onnx::file_grid_sample {
namespace {
std::vector<ValueType> output_types(const Call& call) {
  const auto& [dtype, x] = call.type("X");
  const Dims& grid = call.type("grid").shape;
  require(call.version() >= 20 || x.size() == 4, "{} has rank {}, but must be (N, C, H, W): rank 4", call.name("X"),
          x.size());
  require_spatial(call, "X");
  require_mode(call);
  const std::int64_t r = std::ssize(x) - 2;
  require(grid.size() == x.size() && grid[0] == x[0] && grid[grid.size() - 1] == r,
          "grid has shape {}, but {} has shape {}: it must be ({}, sizes of {}, {})", grid, call.name("X"), x, x[0],
          call.name("Y"), r);
  return {TensorType{dtype, join(x.first(2), grid.first(grid.size() - 1).without_first(1))}};
}

Resampling mode_of(const Call& call) {
  const std::string& mode = call.string("mode");
  return mode == "nearest" ? Resampling::nearest : mode.ends_with("cubic") ? Resampling::cubic : Resampling::linear;
}

// The place of n, from -1 to 1:  align_corners (n + 1)/2·(L - 1), else ((n + 1)·L - 1)/2
template <class R>
R place_as(const R& n, const R& L, const R& one, const R& two, bool aligned) {
  return aligned ? (n + one) / two * (L - one) : ((n + one) * L - one) / two;
}
Rational place(double n, std::int64_t L, bool aligned) {  // an infinite one is beyond all pixels
  return std::isinf(n) ? Rational::of(std::copysign(0x1p100, n))
                       : place_as<Rational>(Rational::of(n), L, 1, 2, aligned);
}

class Grid {
 public:
  Grid(const Call& call, Place place)
      : place_(place),
        X_name_(call.name("X")),
        grid_(call.input("grid")),
        L_(spatial(call.type("X").shape)),
        per_image_(element_count(call.type("grid").shape.without_first(1)) / std::ssize(L_)),
        filter_{mode_of(call), Rational(call.reads("grid_sample.cubic_a", "half") ? -2 : -3) / Rational(4)},
        zeros_(zero_weights(call)),
        padding_(call.choice<Padding>("padding_mode")),
        aligned_(call.flag("align_corners")),
        pads_first_(filter_.mode == Resampling::nearest
                        ? call.reads("grid_sample.nearest", "padding_first")
                        : filter_.mode == Resampling::cubic && call.reads("grid_sample.cubic_border", "location")) {}

  std::int64_t per_image() const { return per_image_; }
  std::int64_t image(std::int64_t k) const { return k / per_image_; }
  /// The pixels around the k-th place of the grid, along each axis.
  std::vector<AxisPoint> points(std::int64_t k) const {
    std::vector<AxisPoint> all;
    for (size_t a = 0; a < L_.size(); ++a) all.push_back(sampled(filter_, x(k, a), L_[a], padding_, aligned_, zeros_));
    return all;
  }
  /// The same of places of one image for rows.
  WeightedPlaces weighted(std::int64_t first, std::int64_t count, std::span<const std::int64_t> strides) const {
    WeightedPlaces places;
    std::array<NearPoint, Dims::kCapacity> room;
    const std::span<NearPoint> near = std::span(room).first(L_.size());
    for (std::int64_t k = first; k < first + count; ++k) {
      for (size_t a = 0; a < near.size(); ++a)
        if (!is_near(k, a, near[a])) near[a] = NearPoint(sampled(filter_, x(k, a), L_[a], padding_, aligned_, zeros_));
      add_near(near, strides, 0, 1.0, places);
      places.next_or_zero();
    }
    return places;
  }
  template <class R, class X>
  R value(const std::vector<AxisPoint>& points, std::span<const std::int64_t> strides, const X& x) const {
    return interpolated<R>(points, strides, 0, x);
  }
  /// The same as kernels compute it.
  std::vector<ComputedPoint> computed_points(std::int64_t k) const {
    std::vector<ComputedPoint> all;
    for (size_t a = 0; a < L_.size(); ++a)
      all.emplace_back(filter_, computed(k, a), [&](std::int64_t i) { return pixel(i, a); });
    return all;
  }
  Faithful computed_value(const std::vector<ComputedPoint>& points, std::span<const std::int64_t> strides,
                          const std::function<Faithful(std::int64_t)>& x) const {
    return ops::interpolated(points, strides, 0, x);
  }
  /// Of mode nearest: the pixels that kernels may take.
  std::vector<std::vector<std::int64_t>> computed_pixels(std::int64_t k) const {
    std::vector<std::vector<std::int64_t>> all;
    for (size_t a = 0; a < L_.size(); ++a)
      all.push_back(nearest_pixels(computed(k, a),
                                   [&](const Rational& x) { return pixel(x.rounded_even().clamped(-kFar, kFar), a); }));
    return all;
  }
  template <class Tell>
  void tell_places(std::int64_t k, const Tell& tell) const {
    for (size_t a = 0; a < L_.size(); ++a)
      if (std::isfinite(number(k, a)))
        tell_coordinate(format("place along axis {} of {}", a + 2, X_name_), place(number(k, a), L_[a], aligned_),
                        place_in_float32(number(k, a), L_[a], aligned_), tell);
  }
  void tell(std::int64_t k, const std::vector<AxisPoint>&, const Reader<Interval>& x) const {
    for (size_t a = 0; a < L_.size(); ++a) x(grid_, element(k, a));
    tell_places(k, [&](const std::string& name, const Interval& place) { x.named(name, place); });
  }

 private:
  Rational x(std::int64_t k, size_t a) const { return padded_first(place_(number(k, a), L_[a], aligned_), a); }
  Rational padded_first(const Rational& stated, size_t a) const {
    return pads_first_ ? padded(stated, L_[a], padding_, aligned_) : stated;
  }
  static constexpr std::int64_t kFar = std::int64_t{1} << 60;
  std::int64_t pixel(std::int64_t i, size_t a) const {
    const std::int64_t in = padded(i, L_[a], padding_, aligned_);
    return in >= 0 && in < L_[a] ? in : kZero;
  }
  /// The place as kernels have it; reflected, it is wrong once more by the steps that reflect it.
  ComputedPlace computed(std::int64_t k, size_t a) const {
    const double n = number(k, a), L = nearly(L_[a]);
    const Rational exact = place_(n, L_[a], aligned_);
    if (std::isinf(n)) return {padded_first(exact, a), Faithful(n, 0, 0)};
    const Faithful x = place_as<Faithful>(Faithful::input(n), L, 1, 2, aligned_);
    constexpr double kSteps = 4;
    const bool is_reflected = padding_ == Padding::reflection && (x.high() < 0 || x.high() > L - 1);
    ComputedPlace place(exact, x, is_reflected ? kSteps * Faithful::kernel.unit_roundoff() * (x.size() + L) : 0);
    place.x = padded_first(place.x, a);
    return place;
  }
  bool is_near(std::int64_t k, size_t a, NearPoint& point) const {
    if (pads_first_ || place_ != place) return false;
    const Bounded x = place_as<Bounded>(number(k, a), nearly(L_[a]), 1, 2, aligned_);
    return sample_nearby(filter_, x, L_[a], padding_, aligned_, zeros_, point);
  }
  // The grid's last axis lists the innermost coordinate first.
  std::int64_t element(std::int64_t k, size_t a) const {
    const std::int64_t r = std::ssize(L_);
    return k * r + r - 1 - static_cast<std::int64_t>(a);
  }
  double number(std::int64_t k, size_t a) const { return grid_.number(element(k, a)); }
  Place place_;
  std::string_view X_name_;
  Elements grid_;
  Dims L_;
  std::int64_t per_image_;
  Filter filter_;
  ZeroWeights zeros_;
  Padding padding_;
  bool aligned_, pads_first_;
};
}  // namespace
Rational place_in_float32(double n, std::int64_t L, bool aligned) {
  if (std::isinf(n)) return place(n, L, aligned);
  return Rational::of_float32(place_as(static_cast<float>(n), static_cast<float>(L), 1.0F, 2.0F, aligned));
}

std::vector<Value> grid_sample_by(const Call& call, std::span<const Output> outs, Place place) {
  // "Outside the range of [-1, 1]", also at infinity, padding_mode decides; there nobody knows what is reflected.
  call.string("padding_mode") == "reflection" ? require_finite(call, "grid") : require_no_nan(call, "grid");
  const Tensor& X = call.input("X");
  const DType dtype = outs[0].type().dtype;
  const Dims& y = outs[0].type().shape;
  if (element_count(y) == 0) return {zeros_of(outs[0].type())};
  if (call.string("padding_mode") != "zeros") require_spatial_sizes(call, "X", spatial(X.shape()));
  const Grid grid(call, place);
  const std::int64_t each = grid.per_image(), places = y[0] * each, plane = element_count(spatial(X.shape()));
  const Dims strides = strides_of(X.shape()).without_first(2);
  const auto place_of = [&](std::int64_t i) { return i / each / y[1] * each + i % each; };
  if (mode_of(call) == Resampling::nearest) {
    if (outs[0].sink() != nullptr && (types::numbers | DType::bfloat16).contains(dtype) &&
        outs[0].sink()->asks_for_bounds()) {
      const Elements elements(X);
      const Reader<Faithful> x;
      tell_bounds(outs[0], [&](std::int64_t i) {
        return any_pixel(grid.computed_pixels(place_of(i)), strides, i / each * plane,
                         [&](std::int64_t at) { return x(elements, at); });
      });
      return {zeros_of(outs[0].type())};
    }
    if (outs[0].sink() != nullptr && outs[0].only())
      grid.tell_places(place_of(*outs[0].only()),
                       [&](const std::string& name, const Interval& x) { outs[0].sink()->real(name, x); });
    return {move(outs[0], X, [&](std::int64_t i) {
      std::int64_t at = i / each * plane;
      const std::vector<AxisPoint> points = grid.points(place_of(i));
      for (size_t a = 0; a < points.size(); ++a) {
        if (points[a].pixels().empty()) return Run::fill();
        at += points[a].pixels()[0].at * strides[a];
      }
      return Run{at};
    })};
  }
  const Elements elements(X);
  if (!types::integers.contains(dtype)) {
    const auto weighted = [&](std::int64_t n, std::int64_t first, std::int64_t count) {
      return grid.weighted(n * each + first, count, strides);
    };
    return in_each_channel(outs, grid, places, X, rows_of_channels(X, {each, std::identity(), weighted}));
  }
  const Fraction fraction = call.reads("grid_sample.integer", "nearest") ? Fraction::nearest_even : Fraction::truncate;
  return {wholes(outs[0], [&](std::int64_t i, const WholeReader& x) {
    const Rational sum = grid.value<Rational>(grid.points(place_of(i)), strides, [&](std::int64_t at) {
      return Rational::of_wide(x(elements, i / each * plane + at));
    });
    return integer_of(sum, dtype, fraction, Beyond::wrap);
  })};
}
namespace {
std::vector<Value> kernel(const Call& call, std::span<const Output> outs) { return grid_sample_by(call, outs, place); }

bool is_nearest(const Call& call) { return mode_of(call) == Resampling::nearest; }
bool is_cubic(const Call& call) { return mode_of(call) == Resampling::cubic; }
bool is_padded(const Call& call) { return call.string("padding_mode") != "zeros"; }

void version_16(OpSchema& s) {
  s.attribute(with_default("align_corners", 0, flag()))
      .attribute(with_default("mode", "bilinear", one_of({"bilinear", "nearest", "bicubic"})))
      .attribute(with_default("padding_mode", "zeros", one_of({"zeros", "border", "reflection"})))
      .input("X", "T1", "the images, (N, C, D1, …)")
      .input("grid", "T2", "places in them, (N, O1, …, axes), the innermost coordinate first")
      .output("Y", "T1", "what is there, (N, C, O1, …)")
      .types("T1", types::basic, "Constrain input `X` and output `Y` types to all tensor types.")
      .types("T2", types::floats, "Constrain grid types to float tensors.");
}

void version_20(OpSchema& s) {
  s.change("mode").range = one_of({"linear", "nearest", "cubic"});
  s.change("mode").default_value = AttributeValue::of(std::string("linear"));
  s.wording("X has any number of spatial axes");
}
}  // namespace
Operator grid_sample() {
  return Operator("ai.onnx", "GridSample")
      .summary("images sampled at places that a grid gives, by the nearest pixel, linear or cubic interpolation")
      .version(16, version_16)
      .version(20, version_20)
      .version(22, adds({"T1", "T2"}, DType::bfloat16))
      .reading({.name = "grid_sample.cubic_border",
                .alternatives = {"taps: each pixel around a place is clamped or reflected",
                                 "location: the place is, before the pixels around it are taken"},
                .defaults = {{16, "taps"}},
                .reason = "onnxruntime and torch, which the page names; onnx.reference moves the place",
                .may_change_values = [](const Call& call) { return is_cubic(call) && is_padded(call); }})
      .reading({.name = "grid_sample.cubic_a",
                .alternatives = {"three_quarters: Keys' kernel with a = -0.75", "half: with a = -0.5"},
                .defaults = {{16, "three_quarters"}},
                .reason = "published data; the text is silent",
                .may_change_values = is_cubic})
      .reading({.name = "grid_sample.nearest",
                .alternatives = {"rounding_first: a place is rounded, halves to even, then clamped or reflected",
                                 "padding_first: clamped or reflected, then rounded"},
                .defaults = {{16, "rounding_first"}},
                .reason = "text of version 20; torch pads first",
                .may_change_values = [](const Call& call) { return is_nearest(call) && is_padded(call); }})
      .reading({.name = "grid_sample.integer",
                .alternatives = {"truncate: toward zero, modulo 2^bits", "nearest: halves to even, modulo 2^bits"},
                .defaults = {{16, "truncate"}},
                .reason = "the text casts to integer at the end",
                .may_change_values = interpolates_integers})
      .reading(zero_weight_reading(16))
      .output_types(output_types)
      .kernel(kernel);
}
}  // namespace opref::ops::onnx::file_grid_sample
