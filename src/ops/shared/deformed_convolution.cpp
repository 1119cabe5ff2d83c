// SPDX-License-Identifier: Apache-2.0
#include "ops/shared/deformed_convolution.h"
#include <algorithm>
#include <array>
#include <cmath>

#include "core/error.h"
#include "evaluators/programs.h"
#include "fast/sampled_convolution.h"
#include "ops/shared/computed_places.h"
#include "ops/shared/numbers.h"
namespace opref::ops {
using namespace evaluators;
namespace {
class DeformedTaps {
 public:
  explicit DeformedTaps(const DeformedConvolution& c)
      : X_(c.X),
        W_(c.W),
        offset_(c.offset),
        B_(c.B == nullptr ? c.W : *c.B),
        mask_(c.mask == nullptr ? c.W : *c.mask),
        has_bias_(c.B != nullptr),
        has_mask_(c.mask != nullptr),
        counts_zeros_(c.zeros == ZeroWeights::counted),
        ends_(c.ends),
        w_(c.windows),
        x_strides_(strides_of(w_.L)),
        groups_(c.groups),
        offset_groups_(c.offset_groups),
        M_(c.W.shape()[0] / groups_),
        C_(c.W.shape()[1]),
        L_(element_count(w_.L)),
        K_(element_count(w_.k)),
        O_(element_count(w_.O)),
        mask_step_(c.mask_step) {}

  template <class R>
  R operator()(std::int64_t i, const Reader<R>& x) const {
    if constexpr (std::is_same_v<R, Faithful>)
      return computed_at(i, x);
    else
      return at(i, x);
  }
  template <class R>
  R at(std::int64_t i, const Reader<R>& x) const {
    const auto [n, group, m, o] = split(i, groups_, M_, O_);
    const std::int64_t C_of_all = groups_ * C_;
    const Dims at = coordinates(o, w_.O);
    R sum = has_bias_ ? x.sum(x(B_, group * M_ + m)) : x.zero();
    std::vector<Corner<R>> corners;
    for (std::int64_t k = 0; k < K_ && C_ > 0; ++k) {
      std::int64_t g = -1;
      for (std::int64_t c = 0; c < C_; ++c) {
        const std::int64_t channel = group * C_ + c, own = channel / (C_of_all / offset_groups_);
        if (own != g) g = own, corners = corners_of(n * offset_groups_ + g, k, at, o, x);
        for (const Corner<R>& corner : corners) {
          const R data = x(X_, (n * C_of_all + channel) * L_ + corner.at);
          sum = sum + data * x(W_, ((group * M_ + m) * C_ + c) * K_ + k) * corner.weight;
        }
      }
    }
    return sum;
  }

  /// As kernels compute the places.
  Faithful computed_at(std::int64_t i, const Reader<Faithful>& x) const {
    const auto [n, group, m, o] = split(i, groups_, M_, O_);
    const std::int64_t C_of_all = groups_ * C_;
    exact::FaithfulSum sum;
    if (has_bias_) sum.add(x(B_, group * M_ + m));
    for (std::int64_t k = 0; k < K_; ++k) {
      std::int64_t g = -1, ng = 0;
      ComputedPoints points;
      for (std::int64_t c = 0; c < C_; ++c) {
        const std::int64_t channel = group * C_ + c, own = channel / (C_of_all / offset_groups_);
        if (own != g) g = own, ng = n * offset_groups_ + g, points = computed_points(ng, k, coordinates(o, w_.O), o, x);
        const Faithful inside = ops::interpolated(points.all, x_strides_, (n * C_of_all + channel) * L_,
                                                  [&](std::int64_t at) { return x(X_, at); }),
                       data = points.may_be_outside ? hull(inside, 0.0) : inside;
        sum.add(data * x(W_, ((group * M_ + m) * C_ + c) * K_ + k) * mask(ng, k, o, x));
      }
    }
    return sum.total();
  }

  std::int64_t taps() const { return K_; }
  /// What tap k reads at some places for rows.
  WeightedPlaces weighted(std::int64_t ng, std::int64_t k, std::int64_t first, std::int64_t count) const {
    WeightedPlaces places;
    const Reader<Bounded> x;
    const Dims tap = coordinates(k, w_.k);
    std::array<NearPoint, Dims::kCapacity> room;
    const std::span<NearPoint> near = std::span(room).first(w_.L.size());
    Dims at = coordinates(first, w_.O);
    for (std::int64_t o = first; o < first + count; ++o) {
      for (size_t a = 0; a < near.size(); ++a) {
        near[a].clear();
        each_along(ng * K_ + k, a, at[a], tap, o, x,
                   [&](std::int64_t pixel, const Bounded& weight) { near[a].add(pixel, weight); });
      }
      add_near(near, x_strides_, 0, mask(ng, k, o, x), places);
      places.next_or_zero();
      for (size_t a = at.size(); a-- > 0 && ++at[a] == w_.O[a];) at[a] = 0;
    }
    return places;
  }

 private:
  template <class R>
  struct Corner {
    std::int64_t at;  ///< in a plane of X
    R weight;
  };

  template <class R>
  R mask(std::int64_t ng, std::int64_t k, std::int64_t o, const Reader<R>& x) const {
    return has_mask_ ? x(mask_, (ng * K_ + k) * mask_step_ * O_ + o) : R(1.0);
  }
  /// The elements between which tap k lies, those of weight zero and those outside left out.
  template <class R>
  std::vector<Corner<R>> corners_of(std::int64_t ng, std::int64_t k, const Dims& at, std::int64_t o,
                                    const Reader<R>& x) const {
    const auto axes = std::ssize(w_.L);
    const Dims tap = coordinates(k, w_.k);
    std::vector<Corner<R>> corners;
    corners.push_back({0, mask(ng, k, o, x)});
    for (std::int64_t axis = 0; axis < axes; ++axis) {
      const auto a = static_cast<size_t>(axis);
      std::vector<Corner<R>> all;
      each_along(ng * K_ + k, a, at[a], tap, o, x, [&](std::int64_t index, const R& weight) {
        for (const Corner<R>& corner : corners)
          all.push_back({corner.at + index * x_strides_[a], corner.weight * weight});
      });
      corners = std::move(all);
    }
    if constexpr (std::is_same_v<R, Interval>)
      for (const auto& [i, weight] : corners)
        x.named(format("tap {}, weight{} of pixel {}", tap, has_mask_ ? " * mask" : "", coordinates(i, w_.L)), weight);
    return corners;
  }

  struct ComputedPoints {
    std::vector<ComputedPoint> all = {};
    bool may_be_outside = false;  ///< by Ends::border, where there is nothing
  };
  ComputedPoints computed_points(std::int64_t ng, std::int64_t k, const Dims& at, std::int64_t o,
                                 const Reader<Faithful>& read) const {
    const Dims tap = coordinates(k, w_.k);
    ComputedPoints points;
    for (size_t a = 0; a < w_.L.size(); ++a) {
      const std::int64_t place = ((ng * K_ + k) * std::ssize(w_.L) + static_cast<std::int64_t>(a)) * O_ + o,
                         whole = at[a] * w_.s[a] + tap[a] * w_.d[a] - w_.pads.begin[a];
      const Faithful at_place = Faithful::whole(whole) + read(offset_, place);
      const ComputedPlace computed(Rational(whole) + Rational::of(offset_.number(place)), at_place);
      const auto& [x, error] = computed;
      const Rational L(w_.L[a]);
      const Filter linear{Resampling::linear};
      if (ends_ == Ends::zeros) {
        points.all.emplace_back(linear, computed, [&](std::int64_t i) { return i >= 0 && i < w_.L[a] ? i : kZero; });
        continue;
      }
      const bool is_open = may_cross(x, error, Rational(0)) || may_cross(x, error, L);
      points.may_be_outside |= is_open;
      if (!is_open && (x < Rational(0) || x >= L))
        points.all.emplace_back(kZero);
      else
        points.all.emplace_back(linear, computed,
                                [&](std::int64_t i) { return std::clamp<std::int64_t>(i, 0, w_.L[a] - 1); });
    }
    return points;
  }
  /// f(pixel, weight) of the pixels of an axis between which a tap of an offset group lies at o, at[axis] along it.
  template <class R, class F>
  void each_along(std::int64_t group_and_tap, size_t axis, std::int64_t at, const Dims& tap, std::int64_t o,
                  const Reader<R>& x, const F& f) const {
    constexpr double kFar = 0x1p62;
    const std::int64_t place = (group_and_tap * std::ssize(w_.L) + static_cast<std::int64_t>(axis)) * O_ + o;
    const double offset = offset_.number(place), below = std::floor(offset);
    if (std::abs(below) >= kFar) return;
    const std::int64_t whole = at * w_.s[axis] + tap[axis] * w_.d[axis] - w_.pads.begin[axis],
                       first = checked_add(whole, static_cast<std::int64_t>(below));
    const R upper = x(offset_, place) - R(below);
    if constexpr (std::is_same_v<R, Interval>)
      tell_coordinate(format("tap {} along axis {}", tap, axis), Rational(whole) + Rational::of(offset),
                      Rational::of_float32(static_cast<float>(whole) + static_cast<float>(offset)),
                      [&](const std::string& name, const Interval& number) { x.named(name, number); });
    const std::int64_t L = w_.L[axis];
    if (ends_ == Ends::border && (first < 0 || first >= L)) return;
    const auto take = [&](std::int64_t index, const R& weight) {
      const std::int64_t pixel = ends_ == Ends::border ? std::min(index, L - 1) : index;
      if (pixel >= 0 && pixel < L) f(pixel, weight);
    };
    take(first, R(1.0) - upper);
    if (offset != below || counts_zeros_) take(first + 1, upper);
  }

  Elements X_, W_, offset_, B_, mask_;
  bool has_bias_, has_mask_, counts_zeros_;
  Ends ends_;
  PoolingWindows w_;
  Dims x_strides_;
  std::int64_t groups_, offset_groups_, M_, C_, L_, K_, O_, mask_step_;
};

}  // namespace
std::vector<Value> deformed_convolution(std::span<const Output> outs, const DeformedConvolution& c) {
  const DeformedTaps taps(c);
  const auto places = [&](std::int64_t n, std::int64_t g, std::int64_t k, std::int64_t first, std::int64_t count) {
    return taps.weighted(n * c.offset_groups + g, k, first, count);
  };
  const auto rows = [&](const RowTarget& y) {
    return fast::sampled_convolution(y, {c.X, c.W, c.B, c.groups, taps.taps(), c.offset_groups, places});
  };
  return {real(outs[0], taps, {}, rows)};
}
}  // namespace opref::ops
