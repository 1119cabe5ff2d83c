// SPDX-License-Identifier: Apache-2.0
#include "ops/shared/images.h"
#include <algorithm>
#include <cmath>
#include <limits>

#include "core/error.h"
#include "core/index.h"
#include "ops/shared/numbers.h"
#include "ops/shared/parameters.h"
#include "system/deadline.h"
namespace opref::ops {
const TensorType& image_type(const Call& call) { return call.inputs()[0].type.tensor; }

void require_mode(const Call& call) {
  const DType dtype = image_type(call).dtype;
  require(call.string("mode") == "nearest" || (dtype != DType::string && dtype != DType::boolean),
          "{} has type {}, but mode {} needs numbers", call.name(call.schema().inputs()[0].name), dtype,
          call.string("mode"));
}
namespace {
/// Only Inf and NaN times 0 are not 0.
bool multiplies_not_finite(const Call& call) {
  const DType dtype = image_type(call).dtype;
  if (!is_complex(dtype) && info(dtype).kind != Kind::floating) return false;
  if (call.has_here("mode") && call.string("mode") == "nearest") return false;
  const Input& X = call.inputs()[0];
  return !X.value || any_of(parts_of(X.tensor()), [](double x) { return !std::isfinite(x); });
}
}  // namespace
Reading zero_weight_reading(std::int64_t first) {
  return {.name = "interpolation.zero_weight",
          .alternatives = {"left_out: a point that hits an element does not see the next one",
                           "counted: the next one counts with weight 0, and 0 times Inf or NaN is NaN"},
          .defaults = {{first, "left_out"}},
          .reason = "a neighbour of weight 0 is none; onnxruntime multiplies it by 0",
          .may_change_values = multiplies_not_finite};
}

ZeroWeights zero_weights(const Call& call) {
  return call.reads("interpolation.zero_weight", "counted") ? ZeroWeights::counted : ZeroWeights::left_out;
}

bool interpolates_integers(const Call& call) {
  return call.string("mode") != "nearest" && types::integers.contains(image_type(call).dtype);
}

WholeNumber::WholeNumber(const Rational& whole) : exact_(whole), near_(whole.nearby()) {
  const bool is_finite = std::isfinite(near_);
  const bool is_exact = is_finite && Rational::of(near_) == whole;
  error_ = is_exact ? 0 : is_finite ? std::abs(near_) * 0x1p-52 : std::numeric_limits<double>::infinity();
  if (!is_finite) near_ = 0;
}
namespace {
Rational common_denominator(const std::vector<WeightedPixel>& pixels) {
  Rational common(1);
  for (const WeightedPixel& pixel : pixels) common = common_multiple(common, pixel.weight.denominator());
  return common;
}
}  // namespace
AxisPoint::AxisPoint(const std::vector<WeightedPixel>& pixels, ZeroWeights zeros)
    : denominator_(common_denominator(pixels)) {
  for (const auto& [pixel, weight] : pixels)
    if (zeros == ZeroWeights::counted || weight != Rational(0))
      pixels_.push_back({pixel, WholeNumber(weight * denominator_.as<Rational>())});
}

Rational Filter::weight(const Rational& i, const Rational& x) const {
  const Rational apart = s * (i - x), d = apart < Rational(0) ? -apart : apart;
  if (d < Rational(1)) return inner(d, cubic_a);
  return mode == Resampling::cubic && d < Rational(2) ? outer(d, cubic_a) : Rational(0);
}

Rational padded(const Rational& x, std::int64_t L, Padding padding, bool aligned) {
  const Rational last(L - 1), low = aligned ? Rational(0) : Rational(-1) / Rational(2), span = last - low - low;
  if (padding == Padding::zeros) return x;
  if (padding == Padding::border) return std::clamp(x, Rational(0), last);
  if (span == Rational(0)) return low;
  const Rational turns = (x - low) / span, whole = turns.floor(), part = (turns - whole) * span;
  return (whole / Rational(2)).is_whole() ? low + part : low + span - part;
}

AxisPoint sampled(const Filter& filter, const Rational& x, std::int64_t L, Padding padding, bool aligned,
                  ZeroWeights zeros) {
  std::vector<WeightedPixel> pixels;
  const auto take = [&](const Rational& index, const Rational& weight) {
    const Rational i = padded(index, L, padding, aligned);
    if (i >= Rational(0) && i < Rational(L)) pixels.push_back({i.clamped(0, L - 1), weight});
  };
  if (filter.mode == Resampling::nearest)
    take(x.rounded_even(), Rational(1));
  else
    for (Rational i = filter.first(x); i <= filter.last(x); i = i + Rational(1)) take(i, filter.weight(i, x));
  return AxisPoint(pixels, zeros);
}

std::int64_t padded(std::int64_t i, std::int64_t L, Padding padding, bool aligned) {
  if (padding == Padding::zeros) return i;
  if (padding == Padding::border) return std::clamp<std::int64_t>(i, 0, L - 1);
  const std::int64_t span = aligned ? L - 1 : L;
  if (span == 0) return 0;
  const std::int64_t turns = floor_divide(i, span), part = i - turns * span;
  return turns % 2 == 0 ? part : L - 1 - part;
}

bool sample_nearby(const Filter& filter, const Bounded& x, std::int64_t L, Padding padding, bool aligned,
                   ZeroWeights zeros, NearPoint& point) {
  constexpr double kMost = 0x1p30;
  const double below = std::floor(x.v - x.e * 1.01);
  if (!(std::abs(x.v) + x.e < kMost) || std::floor(x.v + x.e * 1.01) != below) return false;
  point.clear();
  const auto take = [&](std::int64_t apart, const Bounded& weight) {
    if (zeros == ZeroWeights::left_out && weight.v == 0 && weight.e == 0) return;
    const std::int64_t i = padded(static_cast<std::int64_t>(below) + apart, L, padding, aligned);
    if (i >= 0 && i < L) point.add(i, weight);
  };
  const Bounded d = x - Bounded(below), a(filter.cubic_a.nearby());  // a multiple of 1/4
  const bool is_cubic = filter.mode == Resampling::cubic;
  if (is_cubic) take(-1, filter.outer(Bounded(1) + d, a));
  take(0, filter.inner(d, a));
  take(1, filter.inner(Bounded(1) - d, a));
  if (is_cubic) take(2, filter.outer(Bounded(2) - d, a));
  return true;
}

void add_near(std::span<const NearPoint> points, std::span<const std::int64_t> strides, std::int64_t at,
              const Bounded& weight, evaluators::WeightedPlaces& places) {
  if (points.empty()) return places.add(at, weight);
  for (const auto& [pixel, of_pixel] : points[0])
    add_near(points.subspan(1), strides.subspan(1), at + pixel * strides[0], weight * of_pixel, places);
}

std::uint64_t integer_of(const Rational& number, DType dtype, Fraction fraction, Beyond beyond) {
  Rational whole = fraction == Fraction::truncate ? number.truncated() : number.rounded_even();
  if (beyond == Beyond::wrap) return whole.low_bits();
  const bool is_signed = info(dtype).kind == Kind::signed_integer;
  const int bits = info(dtype).bits - (is_signed ? 1 : 0);
  const Rational beyond_most = Rational::of(std::ldexp(1, bits)),
                 least = is_signed ? Rational(0) - beyond_most : Rational(0);
  if (whole < least) whole = least;
  if (whole >= beyond_most) whole = beyond_most - Rational(1);
  return whole.low_bits();
}

PixelRange pixels_of_bin(const RegionAxis& axis, const evaluators::Elements& rois, std::int64_t region,
                         std::int64_t i) {
  const auto scaled = [&, scale = Rational::of(axis.scale)](std::int64_t corner) {
    return (Rational::of(rois.number(region * axis.stride + corner)) * scale).rounded_away();
  };
  const Rational start = scaled(axis.corner), n(axis.bins);
  const Rational e = std::max(scaled(axis.corner + 2) - start + Rational(axis.beyond_end), Rational(1));
  return {(start + (Rational(i) * e / n).floor()).clamped(0, axis.L),
          (start + (Rational(i + 1) * e / n).ceil()).clamped(0, axis.L)};
}

Samples::Samples(const SampledAxis& axis, const evaluators::Elements& rois, std::int64_t region, std::int64_t i)
    : pixels(std::vector<WeightedPixel>{}) {
  constexpr std::int64_t kMostG = std::int64_t{1} << 53, kMost = std::int64_t{1} << 20;
  const auto corner = [&](std::int64_t k) { return Rational::of(rois.number(region * axis.stride + axis.corner + k)); };
  const Rational scale = Rational::of(axis.scale), half = Rational(1) / Rational(2), n(axis.bins),
                 start = (corner(0) + Rational::of(axis.before)) * scale - Rational::of(axis.after),
                 stated = (corner(2) - corner(0)) * scale;
  is_forced = axis.at_least_one && stated < Rational(1);
  const Rational extent = is_forced ? Rational(1) : stated;
  G = axis.sampling_ratio > 0 ? axis.sampling_ratio : (extent / n).ceil().clamped(0, kMostG);
  // The first and the last g in [-1, L].
  std::int64_t first = 0, last = G - 1;
  if (extent != Rational(0)) {
    const auto g_at = [&](std::int64_t x) {
      return ((Rational(x) - start) * n / extent - Rational(i)) * Rational(G) - half;
    };
    const auto [from, to] = std::minmax({g_at(-1), g_at(axis.L)});
    first = from.ceil().clamped(0, G), last = to.clamped(-1, G - 1);
  }
  if (G >= kMostG) fail(Fault::unsupported, "a bin of roi {} has 2^53 samples along an axis, or more", region);
  if (last - first >= kMost)
    fail(Fault::unsupported, "a bin of roi {} has {} samples along an axis, more than {}", region, last - first + 1,
         kMost);
  std::vector<WeightedPixel> all;
  for (std::int64_t g = first; g <= last && axis.L > 0; ++g) {
    const Rational x = start + (Rational(i) + (Rational(g) + half) / Rational(G)) * extent / n;
    if (x < Rational(-1) || x > Rational(axis.L)) continue;
    const Rational place = std::clamp(x, Rational(0), Rational(axis.L - 1)), above = place - place.floor();
    const std::int64_t pixel = place.clamped(0, axis.L - 1);
    all.push_back({pixel, Rational(1) - above});
    if (above != Rational(0) || axis.zeros == ZeroWeights::counted)
      all.push_back({std::min(pixel + 1, axis.L - 1), above});
    inside.push_back(g), ends.push_back(all.size());
  }
  pixels = AxisPoint(all, axis.zeros);
}

std::span<const AxisPoint::Pixel> Samples::of(std::size_t sample) const {
  require_time();
  const std::size_t first = sample == 0 ? 0 : ends[sample - 1];
  return std::span(pixels.pixels()).subspan(first, ends[sample] - first);
}
}  // namespace opref::ops
