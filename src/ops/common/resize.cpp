// SPDX-License-Identifier: Apache-2.0
#include "ops/common/resize.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "core/error.h"
#include "evaluators/move.h"
#include "evaluators/programs.h"
#include "exact/convert.h"

namespace opref::ops {
namespace {

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
      const auto pixel = [&](const Rational& x) { return nearest_pixel(how_, axis, x); };
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

/// As the integer that the reading makes of it; infinities are beyond all integers.
struct ToInteger {
  DType dtype;
  Fraction fraction;
  Beyond beyond;
  std::uint64_t operator()(const Rational& number) const { return integer_of(number, dtype, fraction, beyond); }
  std::uint64_t operator()(double number) const {
    constexpr double kMost = std::numeric_limits<double>::max();
    return (*this)(std::isnan(number) ? Rational(0) : Rational::of(std::clamp(number, -kMost, kMost)));
  }
};

std::optional<Tensor> fill(double extrapolation, const ToInteger& to_integer) {
  if (to_integer.dtype == DType::string) return std::nullopt;
  if (!types::integers.contains(to_integer.dtype)) return fill_of(extrapolation, to_integer.dtype);
  return tensor_of_bits({to_integer.dtype, {}}, [&](std::int64_t) { return to_integer(extrapolation); });
}

Tensor nearest(const Output& out, const Resampled& resampled, const std::optional<Tensor>& fill) {
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

Tensor resized(const Output& out, const Tensor& X, const Resizing& how, std::string_view integer_reading) {
  const auto& [dtype, y] = out.type();
  if (element_count(y) == 0) return zeros_of(out.type());
  const ToInteger to_integer{
      dtype, out.call().reads(integer_reading, "truncate") ? Fraction::truncate : Fraction::nearest_even,
      out.call().reads(integer_reading, "wrap") ? Beyond::wrap : Beyond::saturate};
  if (how.mode == Resampling::nearest) return nearest(out, Resampled(how, X, y), fill(how.extrapolation, to_integer));
  if (types::complexes.contains(dtype)) {
    Resizing of_parts = how;
    of_parts.axes.push_back({2, 2});
    return by_parts(out, X, [&](const Output& inner, const Tensor& parts) {
      const Resampled resampled(of_parts, parts, inner.type().shape);
      return real(inner, RealSum{resampled, Elements(parts), how.extrapolation, true});
    });
  }
  const Resampled resampled(how, X, y);
  const Elements elements(X);
  if (elements.is_floating()) return real(out, RealSum{resampled, elements, how.extrapolation, false});
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
  return {TensorType{call.type("X").dtype, y}};
}

}  // namespace opref::ops
