// SPDX-License-Identifier: Apache-2.0
// ai.onnx GridSample, versions 16, 20, 22
// https://onnx.ai/onnx/operators/onnx__GridSample.html
#include <array>

#include "core/error.h"
#include "families/move.h"
#include "families/programs.h"
#include "ops/common/interpolation.h"
#include "ops/common/mistakes.h"
#include "ops/common/spatial.h"

namespace opref::ops::onnx {
namespace {

std::vector<ValueType> output_types(const Call& call) {
  const auto& [dtype, x] = call.type("X");
  const Dims& grid = call.type("grid").shape;
  require(call.version() >= 20 || x.size() == 4, "X has rank {}, but must be (N, C, H, W): rank 4", x.size());
  require_spatial(call, "X");
  require_mode(call);
  const std::int64_t r = std::ssize(x) - 2;
  require(grid.size() == x.size() && grid[0] == x[0] && grid[grid.size() - 1] == r,
          "grid has shape {}, but X has shape {}: it must be ({}, sizes of Y, {})", grid, x, x[0], r);
  return {TensorType{dtype, join(x.first(2), grid.first(grid.size() - 1).without_first(1))}};
}

enum class Mode : std::uint8_t { linear, nearest, cubic };
Mode mode_of(const Call& call) {
  const std::string& mode = call.string("mode");
  return mode == "nearest" ? Mode::nearest : mode.ends_with("cubic") ? Mode::cubic : Mode::linear;
}
enum class Padding : std::uint8_t { zeros, border, reflection };

// place of n, from -1 to 1:  align_corners (n + 1)/2·(L - 1), else ((n + 1)·L - 1)/2
class Places {
 public:
  explicit Places(const Call& call, bool in_float32)
      : in_float32_(in_float32),
        grid_(call.input("grid")),
        L_(spatial(call.type("X").shape)),
        positions_(element_count(call.type("grid").shape) / std::max<std::int64_t>(1, std::ssize(L_))),
        mode_(mode_of(call)),
        padding_(call.string("padding_mode") == "zeros"    ? Padding::zeros
                 : call.string("padding_mode") == "border" ? Padding::border
                                                           : Padding::reflection),
        aligned_(call.integer("align_corners") != 0),
        pads_first_(mode_ == Mode::nearest
                        ? call.reads("grid_sample.nearest", "padding_first")
                        : mode_ == Mode::cubic && call.reads("grid_sample.cubic_border", "location")),
        cubic_a_(Rational(call.reads("grid_sample.cubic_a", "half") ? -2 : -3) / Rational(4)) {}

  std::int64_t positions() const { return positions_; }
  /// The pixels around the k-th place of the grid, along axis a. Its last axis lists the innermost coordinate first.
  AxisPoint point(std::int64_t k, size_t a) const {
    const Rational L(L_[a]), one(1);
    Rational x = in_float32_ ? place_in_float32(k, a) : place(k, a);
    if (pads_first_) x = padded(x, a);
    std::vector<WeightedPixel> pixels;
    const auto take = [&](const Rational& index, const Rational& weight) {
      if (weight == Rational(0)) return;
      const Rational i = padded(index, a);
      if (i >= Rational(0) && i < L) pixels.push_back({i.clamped(0, L_[a] - 1), weight});
    };
    const Rational below = x.floor();
    if (mode_ == Mode::nearest) take(x.rounded_even(), one);
    if (mode_ == Mode::linear) take(below, below + one - x), take(below + one, x - below);
    for (std::int64_t i = -1; mode_ == Mode::cubic && i <= 2; ++i)
      take(below + Rational(i), keys(below + Rational(i) - x, cubic_a_));
    return {x, pixels};
  }
  template <class Tell>
  void tell_place(std::int64_t k, size_t a, const Tell& tell) const {
    tell_coordinate(format("place along axis {} of X", a + 2), place(k, a), place_in_float32(k, a), tell);
  }
  std::int64_t element(std::int64_t k, size_t a) const {
    const std::int64_t r = std::ssize(L_);
    return k * r + r - 1 - static_cast<std::int64_t>(a);
  }
  const Elements& grid() const { return grid_; }
  size_t axes() const { return L_.size(); }

 private:
  template <class R>
  R place_as(const R& n, const R& L, const R& one, const R& two) const {
    return aligned_ ? (n + one) / two * (L - one) : ((n + one) * L - one) / two;
  }
  Rational place(std::int64_t k, size_t a) const {
    return place_as<Rational>(Rational::of(grid_.number(element(k, a))), L_[a], 1, 2);
  }
  Rational place_in_float32(std::int64_t k, size_t a) const {
    const auto n = static_cast<float>(grid_.number(element(k, a)));
    return Rational::of_float32(place_as<float>(n, static_cast<float>(L_[a]), 1, 2));
  }
  Rational padded(const Rational& x, size_t a) const {
    const Rational last(L_[a] - 1), half = Rational(1) / Rational(2);
    if (padding_ == Padding::zeros) return x;
    if (padding_ == Padding::border) return std::clamp(x, Rational(0), last);
    const Rational low = aligned_ ? Rational(0) : Rational(0) - half, span = last - low - low;
    if (span == Rational(0)) return low;
    const Rational turns = (x - low) / span, whole = turns.floor(), part = (turns - whole) * span;
    return (whole / Rational(2)).is_whole() ? low + part : low + span - part;
  }

  bool in_float32_;
  Elements grid_;
  Dims L_;
  std::int64_t positions_;
  Mode mode_;
  Padding padding_;
  bool aligned_, pads_first_;
  Rational cubic_a_;
};

/// All channels, and parts of complex numbers, of one place of the grid.
class Sampled {
 public:
  Sampled(const Places& places, const Tensor& X, std::int64_t parts)
      : places_(places),
        X_(X),
        strides_(strides_of(X.shape()).without_first(2)),
        L_(element_count(X.shape().without_first(2)) / parts),
        N_(X.shape()[0]),
        C_(X.shape()[1]),
        parts_(parts) {}

  template <class R>
  void operator()(std::int64_t k, const Reader<R>& x, Writer<R>& y) const {
    if (C_ == 0) return;
    const std::int64_t per_image = places_.positions() / N_, n = k / per_image, o = k % per_image;
    if constexpr (std::is_same_v<R, Interval>)
      for (size_t a = 0; a < places_.axes(); ++a) x(places_.grid(), places_.element(k, a));
    at(k, [&](std::span<const AxisPoint* const> points) {
      if constexpr (std::is_same_v<R, Interval>)
        for (size_t a = 0; a < points.size(); ++a)
          places_.tell_place(k, a, [&](const std::string& name, const Interval& place) { x.named(name, place); });
      for (std::int64_t c = 0; c < C_; ++c)
        for (std::int64_t part = 0; part < parts_; ++part)
          y.put(0, ((n * C_ + c) * per_image + o) * parts_ + part, [&] {
            return interpolated<R>(points, strides_, (n * C_ + c) * L_ * parts_ + part,
                                   [&](std::int64_t at) { return x(X_, at); });
          });
    });
  }
  std::int64_t program_of(std::size_t, std::int64_t at) const {
    const std::int64_t per_image = places_.positions() / N_, nc = at / parts_ / per_image;
    return nc / C_ * per_image + at / parts_ % per_image;
  }

  /// f(points) of the k-th place.
  template <class F>
  void at(std::int64_t k, const F& f) const {
    std::vector<AxisPoint> points;
    std::array<const AxisPoint*, Dims::kCapacity> pointers{};
    for (size_t a = 0; a < places_.axes(); ++a) points.push_back(places_.point(k, a));
    for (size_t a = 0; a < points.size(); ++a) pointers[a] = &points[a];
    f(std::span<const AxisPoint* const>(pointers.data(), points.size()));
  }
  /// The first element of the channel that an element of Y is of.
  std::int64_t plane(std::int64_t i) const { return i / (places_.positions() / N_) * L_; }
  const Dims& strides() const { return strides_; }

 private:
  const Places& places_;
  Elements X_;
  Dims strides_;
  std::int64_t L_, N_, C_, parts_;
};

template <bool in_float32>
std::vector<Value> kernel(const Call& call, std::span<const Output> outs) {
  require_finite(call, "grid");
  const Tensor& X = call.input("X");
  const auto& [dtype, y] = outs[0].type();
  if (element_count(y) == 0) return {zeros_of(outs[0].type())};
  if (call.string("padding_mode") != "zeros") require_spatial_sizes(call, "X", spatial(X.shape()));
  const Places places(call, in_float32);
  if (types::complexes.contains(dtype)) {
    const Tensor parts = parts_of(X);
    const Output inner = outs[0].inner(parts_type(outs[0].type()));
    const std::vector<Value> sums = programs(std::span(&inner, 1), places.positions(), Sampled(places, parts, 2));
    if (mode_of(call) != Mode::nearest) return {Tensor::copy_of(outs[0].type(), sums[0].tensor()->bytes())};
  }
  const Tensor& numbers = dtype == DType::string ? call.input("grid") : X;
  const Sampled sampled(places, numbers, 1);
  const Elements elements(numbers);
  const Dims strides = strides_of(X.shape()).without_first(2);
  const std::int64_t plane = element_count(spatial(X.shape())), per_image = element_count(y.without_first(2));
  if (mode_of(call) == Mode::nearest)
    return {move(outs[0], X, [&](std::int64_t i) {
      std::int64_t place = i / per_image * plane;
      bool is_inside = true;
      const std::int64_t k = i / per_image / y[1] * per_image + i % per_image;
      for (size_t a = 0; a < places.axes(); ++a) {
        const AxisPoint point = places.point(k, a);
        if (outs[0].sink() != nullptr && outs[0].only())
          places.tell_place(k, a, [&](const std::string& name, const Interval& x) { outs[0].sink()->real(name, x); });
        is_inside = is_inside && !point.pixels().empty();
        if (is_inside) place += point.pixels()[0].at * strides[a];
      }
      return is_inside ? Run{place} : Run::fill();
    })};
  if (elements.is_floating()) return programs(outs, places.positions(), sampled);
  const Fraction fraction = call.reads("grid_sample.integer", "nearest") ? Fraction::nearest_even : Fraction::truncate;
  return {wholes(outs[0], [&](std::int64_t i, const WholeReader& x) {
    Rational sum(0);
    sampled.at(sampled.program_of(0, i), [&](std::span<const AxisPoint* const> points) {
      sum = interpolated<Rational>(points, strides, i / per_image * plane,
                                   [&](std::int64_t at) { return Rational::of_wide(x(elements, at)); });
    });
    return integer_of(sum, dtype, fraction, Beyond::wrap);
  })};
}

bool is_nearest(const Call& call) { return mode_of(call) == Mode::nearest; }
bool is_cubic(const Call& call) { return mode_of(call) == Mode::cubic; }
bool interpolates_integers(const Call& call) {
  return !is_nearest(call) && types::integers.contains(call.type("X").dtype);
}
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

void version_22(OpSchema& s) { s.add_types("T1", DType::bfloat16).add_types("T2", DType::bfloat16); }

std::optional<Call> x_and_y_exchanged(const Call& call) {
  return call.with_input("grid", flipped(call.input("grid"), {call.type("grid").rank() - 1}));
}

}  // namespace

Operator grid_sample() {
  return Operator("ai.onnx", "GridSample")
      .summary("images sampled at places that a grid gives, by the nearest pixel, linear or cubic interpolation")
      .version(16, version_16)
      .version(20, version_20)
      .version(22, version_22)
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
      .output_types(output_types)
      .kernel(kernel<false>)
      .mistake("corners aligned", taken_as<"align_corners", 1>)
      .mistake("x and y exchanged", x_and_y_exchanged)
      .mistake("coordinates in float32", computed_by<as_it_is, kernel<true>>);
}

}  // namespace opref::ops::onnx
