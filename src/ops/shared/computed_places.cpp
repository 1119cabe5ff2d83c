// SPDX-License-Identifier: Apache-2.0
#include "ops/shared/computed_places.h"
#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "core/infinity.h"
#include "core/nearly.h"
#include "system/deadline.h"
namespace opref::ops {
namespace {
constexpr double kFarOff = 64;  // pixels: of such places nothing is said
constexpr double kPay = 1.001;  // for what doubles lose

double unit() { return Faithful::kernel.unit_roundoff(); }

/// The nearest doubles to the number and to the rest, which float64 alone wants to know.
Faithful exactly(const Rational& number, double error) {
  constexpr int kSingle = 24;
  const double high = number.nearby();
  if (Faithful::simulated != nullptr) return {exact::nearest_held(high), 0, 0};
  if (Faithful::kernel.bits <= kSingle) return {high, 0, error + std::abs(high) * 0x1p-52};
  return {high, (number - Rational::of(high)).nearby(), error + std::abs(high) * 0x1p-100};
}

/// The greatest |h'| of a filter.
double steepest(const Filter& filter) {
  if (filter.mode != Resampling::cubic) return 1;
  const double a = filter.cubic_a.nearby(), vertex = (a + 3) / (3 * (a + 2));
  const double inside = vertex > 0 && vertex < 1 ? (a + 3) * (a + 3) / std::abs(3 * (a + 2)) : 0;
  return std::max(std::abs(a), inside);
}
}  // namespace

Faithful computed(const Rational& number) {
  const double near = number.nearby();
  if (Rational::of(near) == number) return near;
  return exactly(number, std::abs(near) * 2 * Faithful::kernel.functions.division * unit());
}
Faithful computed_divisor(const Rational& number) {
  const Faithful divisor = computed(number);
  int exponent = 0;
  const bool is_power_of_two = divisor.error() == 0 && std::abs(std::frexp(divisor.high(), &exponent)) == 0.5;
  return is_power_of_two ? divisor : divisor.moved_by(unit() * divisor.size());
}

Faithful hull(const Faithful& a, const Faithful& b) {
  return choose(
      Faithful::Truth::unknown, [&] { return a; }, [&] { return b; });
}

ComputedPlace::ComputedPlace(const Rational& exact, const Faithful& computed, double more)
    : x(exact), error(computed.error() + more) {
  if (Faithful::simulated == nullptr) return;
  error = 0;
  if (std::isfinite(computed.high())) x = Rational::of(computed.high());
}

ComputedPlace ComputedPlace::within(const Rational& least, const Rational& most) const {
  ComputedPlace place = *this;
  place.x = std::clamp(x, least, most);
  return place;
}

bool may_cross(const Rational& x, double error, const Rational& limit) {
  return error > 0 && !(std::abs((x - limit).nearby()) > error);
}

ComputedPoint::ComputedPoint(const Filter& filter, const ComputedPlace& place,
                             const std::function<std::int64_t(std::int64_t i)>& pixel_at, bool divided) {
  const auto& [x, error] = place;
  size_ = 0;
  if (!(error < kFarOff)) {
    taps_.push_back({kZero, kUnknown});
    return;
  }
  // First the taps of x, beside them those that have a weight at a place nearby.
  const Rational off = error > 0 ? Rational::of(error) : Rational(0);
  exact::FaithfulSum sum;
  const Rational first = filter.first(x - off), last = filter.last(x + off);
  const Faithful s = computed(filter.s), a = computed(filter.cubic_a);
  for (Rational i = first; i <= last; i = i + Rational(1)) {
    require_time();
    const std::int64_t pixel = pixel_at(i.clamped(-(std::int64_t{1} << 60), std::int64_t{1} << 60));
    if (pixel == kLeftOut) continue;
    const Rational way = i - x, apart = way < Rational(0) ? -way : way, scaled = filter.s * apart;
    // A tap that only places nearby have is one at the filter's end, where its weight is rounded too.
    const bool is_cubic = filter.mode == Resampling::cubic;
    const Rational end = std::min(apart, Rational(is_cubic ? 2 : 1) / filter.s);
    const Faithful way_to = exactly(end, 0), d = s * way_to.moved_by((way_to.size() + error) * unit());
    const bool is_inner = !is_cubic || scaled < Rational(1);
    const Faithful computed_weight = is_inner ? filter.inner(d, a) : filter.outer(d, a);
    const Faithful weight = apart == end ? computed_weight : Faithful(0, 0, computed_weight.size());
    // A whole place has one pixel, exactly, whatever the formula says.
    taps_.push_back({pixel, error == 0 && way.is_whole() && filter.s == Rational(1)
                                ? Faithful(apart == Rational(0) ? 1.0 : 0.0)
                                : weight});
    sum.add(taps_.back().weight);
  }
  const double narrow = filter.s.nearby(), steep = narrow * steepest(filter), all = std::abs(sum.total().high());
  const double count = std::ceil((filter.mode == Resampling::cubic ? 4 : 2) / narrow);
  if (divided)
    for (Tap& tap : taps_) tap.weight = tap.weight / sum.total();
  for (const Tap& tap : taps_) size_ += tap.weight.size();
  // Σ h'·X/Σ h moves by half of the greatest difference, and Σ h in it likewise.
  const double change = error * steep * count, least = all - change;
  const double by = !divided ? change : least > 0 ? change / least : kInfinity;
  moved_ = by * (divided ? 1 : 0.5) * kPay;
  grown_ = by * (divided ? 2 : 1) * kPay;
}

namespace {
/// The greatest difference of numbers along one axis of those that lie row-major in a box.
double greatest_difference(std::span<const double> x, size_t count, size_t step) {
  double greatest = 0;
  for (size_t i = 0; i < x.size(); ++i) {
    if (i / step % count != 0) continue;
    double least = x[i], most = x[i];
    for (size_t k = 1; k < count; ++k) least = std::min(least, x[i + k * step]), most = std::max(most, x[i + k * step]);
    greatest = std::max(greatest, most - least);
  }
  return greatest;
}
}  // namespace

Faithful interpolated(std::span<const ComputedPoint> points, std::span<const std::int64_t> strides, std::int64_t from,
                      const std::function<Faithful(std::int64_t at)>& x) {
  require_time();
  size_t count = 1;
  bool moves = false;
  for (const ComputedPoint& point : points) count *= point.taps().size(), moves |= point.moved() > 0;
  exact::FaithfulSum sum;
  std::vector<double> numbers(count);
  double terms = 0, largest = 0;
  for (size_t k = 0; k < count; ++k) {
    Faithful weight(1.0);
    std::int64_t at = from;
    bool is_zero = false;
    size_t rest = k;
    for (size_t a = points.size(); a-- > 0;) {
      const auto& taps = points[a].taps();
      const ComputedPoint::Tap& tap = taps[rest % taps.size()];
      rest /= taps.size();
      is_zero |= tap.pixel == kZero;
      at += std::max<std::int64_t>(tap.pixel, 0) * strides[a];
      weight = weight * tap.weight;
    }
    const bool has_weight = weight.high() != 0 || weight.error() != 0;
    if (is_zero && !(weight.error() < kInfinity)) return weight;
    if (is_zero || (!has_weight && !moves)) continue;
    const Faithful number = x(at);
    numbers[k] = number.high();
    largest = std::max(largest, number.size());
    if (!has_weight) continue;
    sum.add(number * weight);
    ++terms;
  }
  const Faithful total = sum.total();
  if (!moves) return total;
  // What the places move, one axis after the other; and what a kernel rounds there more than here.
  double moved = 0, here = 1, there = 1;
  for (const ComputedPoint& point : points) here *= point.size(), there *= point.size() + point.grown();
  size_t step = 1;
  for (size_t a = points.size(); a-- > 0;) {
    const ComputedPoint& point = points[a];
    const size_t along = point.taps().size();
    if (point.moved() > 0)
      moved += point.moved() * greatest_difference(numbers, along, step) * there / (point.size() + point.grown());
    step *= along;
  }
  const double roundings = terms + 16 * nearly(std::ssize(points));
  return total.moved_by((moved + roundings * unit() * largest * (there - here)) * kPay);
}

std::vector<std::int64_t> nearest_pixels(const ComputedPlace& place,
                                         const std::function<std::int64_t(const Rational& x)>& pixel_at) {
  const auto& [x, error] = place;
  if (error == 0) return {pixel_at(x)};
  if (!(error < kFarOff)) return {};
  std::vector<std::int64_t> pixels;
  const Rational off = Rational::of(error), half = Rational(1) / Rational(2), last = x + off;
  for (Rational at = x - off; at < last; at = at + half) pixels.push_back(pixel_at(at));
  pixels.push_back(pixel_at(last));
  std::ranges::sort(pixels);
  pixels.erase(std::unique(pixels.begin(), pixels.end()), pixels.end());
  return pixels;
}

Faithful any_pixel(std::span<const std::vector<std::int64_t>> pixels, std::span<const std::int64_t> strides,
                   std::int64_t from, const std::function<Faithful(std::int64_t at)>& x) {
  require_time();
  if (pixels.empty()) return x(from);
  std::optional<Faithful> any;
  for (const std::int64_t pixel : pixels[0]) {
    const Faithful one =
        pixel < 0 ? Faithful(0.0) : any_pixel(pixels.subspan(1), strides.subspan(1), from + pixel * strides[0], x);
    any = any ? hull(*any, one) : one;
  }
  return any.value_or(kUnknown);
}

ComputedSamples::ComputedSamples(const SampledAxis& axis, const evaluators::Elements& rois, std::int64_t region,
                                 std::int64_t i) {
  const Samples samples(axis, rois, region, i);
  G = nearly(samples.G);
  const auto corner = [&](std::int64_t k) { return rois.number(region * axis.stride + axis.corner + k); };
  // As kernels do it: both ends first.
  const auto computed_end = [&](double end_of_region) {
    const Faithful x = Faithful::input(end_of_region);
    return (axis.before == 0 ? x : x + Faithful(axis.before)) * Faithful::input(axis.scale) - Faithful(axis.after);
  };
  const Faithful start = computed_end(corner(0)), end = computed_end(corner(2)),
                 extent = samples.is_forced ? Faithful(1.0) : end - start, n = Faithful::whole(axis.bins);
  const Rational exact_scale = Rational::of(axis.scale), from = Rational::of(corner(0)) * exact_scale,
                 stated = Rational::of(corner(2)) * exact_scale - from,
                 length = samples.is_forced ? Rational(1) : stated, bins(axis.bins);
  if (axis.sampling_ratio == 0) {
    const double e = extent.error() / nearly(axis.bins);
    is_known = !may_cross(length / bins, e, samples.G) && !may_cross(length / bins, e, samples.G - 1);
  }
  const Rational half_pixel = Rational(1) / Rational(2), L(axis.L),
                 origin = from + Rational::of(axis.before) * exact_scale - Rational::of(axis.after);
  const Filter linear{Resampling::linear};
  const auto pixel_at = [&](std::int64_t p) { return std::clamp<std::int64_t>(p, 0, axis.L - 1); };
  for (std::int64_t g = 0; g < samples.G && axis.L > 0; ++g) {
    const Rational part = (Rational(i) + (Rational(g) + half_pixel) / Rational(samples.G)) / bins,
                   exact = origin + part * length;
    const Faithful bin = extent / n, computed = start + Faithful::whole(i) * bin +
                                                (Faithful::whole(g) + Faithful(0.5)) * bin / Faithful::whole(samples.G);
    const ComputedPlace place(exact, computed);
    const auto& [x, e] = place;
    const bool may_cross_ends = may_cross(x, e, Rational(-1)) || may_cross(x, e, L),
               is_outside = x < Rational(-1) || x > L;
    some_are_outside |= is_outside || may_cross_ends;
    if (is_outside && !may_cross_ends) continue;
    inside.push_back({ComputedPoint(linear, place.within(0, L - Rational(1)), pixel_at), may_cross_ends});
  }
}
}  // namespace opref::ops
