// SPDX-License-Identifier: Apache-2.0
// ai.onnx DeformConv, versions 19, 22
// https://onnx.ai/onnx/operators/onnx__DeformConv.html
#include "fast/sampled_convolution.h"
#include "ops/operator_file.h"
#include "ops/shared/computed_places.h"
#include "ops/shared/convolutions.h"
#include "ops/shared/images.h"
#include "ops/shared/numbers.h"
namespace opref::ops::onnx {
namespace {
bool has_mask_per_axis(const Call& call) { return call.reads("deform_conv.mask_channels", "taps_times_axes"); }

void require_shape(const Call& call, std::string_view input, const Dims& shape, std::string_view rule) {
  const Dims& stated = call.type(input).shape;
  require(stated == shape, "{} has shape {}, but must have {}: {}", input, stated, shape, rule);
}

std::vector<ValueType> output_types(const Call& call) {
  const auto& [dtype, x] = call.type("X");
  const Dims y = convolution_shape(call), O = spatial(y);
  const std::int64_t groups = call.integer("offset_group"), r = static_cast<std::int64_t>(O.size());
  require(x[1] % groups == 0, "attribute 'offset_group' is {}, but must divide C of X, {}", groups, x[1]);
  const std::int64_t taps = checked_multiply(groups, element_count(spatial(call.type("W").shape)));
  require_shape(call, "offset", join(Dims{x[0], checked_multiply(taps, r)}, O),
                "N, offset_group * taps * spatial axes, and Y's spatial sizes");
  if (call.has("mask"))
    require_shape(call, "mask", join(Dims{x[0], checked_multiply(taps, has_mask_per_axis(call) ? r : 1)}, O),
                  "N, offset_group * taps, and Y's spatial sizes");
  return {TensorType{dtype, y}};
}

// Y[n,m,o] = B[m] + Σ over channels c and taps k of W[m,c,k]·mask[n, g*K + k, o]·x(o*s + k*d - pb + offset[n, g*K + k,
// o]) where x is X[n,c], continued by zeros and interpolated linearly along each axis, and g the offset group of c
class DeformedTaps {
 public:
  explicit DeformedTaps(const Call& call)
      : X_(call.input("X")),
        W_(call.input("W")),
        offset_(call.input("offset")),
        B_(call.input(call.has("B") ? "B" : "W")),
        mask_(call.input(call.has("mask") ? "mask" : "W")),
        has_bias_(call.has("B")),
        has_mask_(call.has("mask")),
        counts_zeros_(zero_weights(call) == ZeroWeights::counted),
        w_(convolution_windows(call)),
        x_strides_(strides_of(w_.L)),
        groups_(call.integer("group")),
        offset_groups_(call.integer("offset_group")),
        M_(call.type("W").shape[0] / groups_),
        C_(call.type("W").shape[1]),
        L_(element_count(w_.L)),
        K_(element_count(w_.k)),
        O_(element_count(w_.O)),
        mask_step_(has_mask_per_axis(call) ? std::ssize(w_.L) : 1) {}

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
      std::vector<ComputedPoint> points;
      for (std::int64_t c = 0; c < C_; ++c) {
        const std::int64_t channel = group * C_ + c, own = channel / (C_of_all / offset_groups_);
        if (own != g) g = own, ng = n * offset_groups_ + g, points = computed_points(ng, k, coordinates(o, w_.O), o, x);
        const Faithful data = ops::interpolated(points, x_strides_, (n * C_of_all + channel) * L_,
                                                [&](std::int64_t at) { return x(X_, at); });
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

  std::vector<ComputedPoint> computed_points(std::int64_t ng, std::int64_t k, const Dims& at, std::int64_t o,
                                             const Reader<Faithful>& x) const {
    const Dims tap = coordinates(k, w_.k);
    std::vector<ComputedPoint> points;
    for (size_t a = 0; a < w_.L.size(); ++a) {
      const std::int64_t place = ((ng * K_ + k) * std::ssize(w_.L) + static_cast<std::int64_t>(a)) * O_ + o,
                         whole = at[a] * w_.s[a] + tap[a] * w_.d[a] - w_.pads.begin[a];
      const Faithful at_place = Faithful::whole(whole) + x(offset_, place);
      points.emplace_back(Filter{Resampling::linear}, Rational(whole) + Rational::of(offset_.number(place)),
                          at_place.error(), [&](std::int64_t i) { return i >= 0 && i < w_.L[a] ? i : kZero; });
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
    const auto take = [&](std::int64_t index, const R& weight) {
      if (index >= 0 && index < w_.L[axis]) f(index, weight);
    };
    take(first, R(1.0) - upper);
    if (offset != below || counts_zeros_) take(first + 1, upper);
  }

  Elements X_, W_, offset_, B_, mask_;
  bool has_bias_, has_mask_, counts_zeros_;
  PoolingWindows w_;
  Dims x_strides_;
  std::int64_t groups_, offset_groups_, M_, C_, L_, K_, O_, mask_step_;
};

std::vector<Value> kernel(const Call& call, std::span<const Output> outs) {
  require_finite(call, "offset");
  const DeformedTaps taps(call);
  const std::int64_t groups = call.integer("offset_group");
  const auto places = [&](std::int64_t n, std::int64_t g, std::int64_t k, std::int64_t first, std::int64_t count) {
    return taps.weighted(n * groups + g, k, first, count);
  };
  const auto rows = [&](const RowTarget& y) {
    return fast::sampled_convolution(y, {call.input("X"), call.input("W"), call.has("B") ? &call.input("B") : nullptr,
                                         call.integer("group"), taps.taps(), groups, places});
  };
  return {real(outs[0], taps, {}, rows)};
}

bool has_mask(const Call& call) { return call.has("mask"); }

void version_19(OpSchema& s) {
  convolution_attributes(s);
  s.attribute(with_default("offset_group", 1, at_least(1)))
      .input("X", "T", "the data, (N, C, D1, …)")
      .input("W", "T", "the kernels, (M, C/group, k1, …)")
      .input("offset", "T", "how far each tap is moved, (N, offset_group * taps * axes, O1, …)")
      .input("B", "T", Arity::optional, "the bias, (M)")
      .input("mask", "T", Arity::optional, "what each tap is multiplied by, (N, offset_group * taps, O1, …)")
      .output("Y", "T", "the result, (N, M, O1, …)")
      .types("T", types::floats, "Constrain input and output types to float tensors.");
}
}  // namespace
Operator deform_conv() {
  return convolution_operator("DeformConv")
      .summary("convolution whose taps are moved by offsets and interpolated")
      .version(19, version_19)
      .version(22, adds("T", DType::bfloat16))
      .reading({.name = "deform_conv.mask_channels",
                .alternatives = {"taps: mask has offset_group * taps channels",
                                 "taps_times_axes: as many as offset has; the first of each tap's is read"},
                .defaults = {{19, "taps"}},
                .reason = "published data and the text's 2-D case have one mask element per tap; its N-D shape has the "
                          "number of axes as a factor",
                .may_change_values = has_mask})
      .reading(zero_weight_reading(19))
      .output_types(output_types)
      .kernel(kernel)
      .short_names({{"offset_group", "og"}});
}
}  // namespace opref::ops::onnx
