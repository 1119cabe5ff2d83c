// SPDX-License-Identifier: Apache-2.0
#include "models/figures.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "core/infinity.h"
#include "exact/real/bounded_functions.h"
#include "system/deadline.h"

namespace opref::models {
namespace {

bool is_same(double x, double y) { return x == y || (std::isnan(x) && std::isnan(y)); }

double root_mean(double squares, std::int64_t count) {
  return count == 0 ? 0 : std::sqrt(squares / static_cast<double>(count));
}

}  // namespace

double decibels(double ratio) {
  if (ratio <= 0) return -kInfinity;
  if (std::isinf(ratio)) return kInfinity;
  constexpr double kLogOf10 = 2.302585092994046;
  return 10 * log(Bounded(ratio)).v / kLogOf10;
}

double Figures::rms() const { return root_mean(error_squares, count); }
double Figures::reference_rms() const { return root_mean(reference_squares, count); }

double Figures::sqnr() const {
  if (nonfinite > 0) return -kInfinity;
  if (error_squares == 0) return kInfinity;
  return reference_squares == 0 ? -kInfinity : decibels(reference_squares / error_squares);
}

std::optional<double> Figures::cosine() const {
  const double size = std::sqrt(squares) * std::sqrt(reference_squares);
  if (size > 0) return products / size;
  return error_squares == 0 ? std::optional(1.0) : std::nullopt;
}

void Figures::add(const Figures& other) {
  if (other.max > max) max = other.max, at = other.at;
  count += other.count, differ += other.differ, nonfinite += other.nonfinite;
  error_squares += other.error_squares, reference_squares += other.reference_squares;
  squares += other.squares, products += other.products;
}

Figures figures_of(const Numbers& x, const Numbers& y) {
  Figures figures;
  figures.count = std::ssize(y.values);
  for (size_t i = 0; i < y.values.size(); ++i) {
    require_time();
    const double a = x.values[i], b = y.values[i];
    const bool is_equal = is_same(a, b);
    figures.differ += is_equal ? 0 : 1;
    if (std::isfinite(b)) figures.reference_squares += b * b;
    if (std::isfinite(a)) figures.squares += a * a;
    if (!std::isfinite(a) || !std::isfinite(b)) {
      figures.nonfinite += is_equal ? 0 : 1;
      continue;
    }
    figures.products += a * b;
    const double error = std::abs(a - b);
    figures.error_squares += error * error;
    if (error > figures.max) figures.max = error, figures.at = static_cast<std::int64_t>(i);
  }
  return figures;
}

namespace {

/// Sums of squares of errors, noise and numbers over slices along one axis.
struct SliceSums {
  std::vector<double> errors, noise;

  explicit SliceSums(std::int64_t slices) : errors(static_cast<size_t>(slices)), noise(static_cast<size_t>(slices)) {}
};

double ratio_of(double errors, double noise, double floor, double count) {
  if (errors == 0) return 0;
  const double allowed = std::sqrt(noise / count) + floor;
  return allowed == 0 ? kInfinity : std::sqrt(errors / count) / allowed;
}

}  // namespace

double ratio_to_spread(const Numbers& x, const Numbers& y, const Spread& spread, double unit_roundoff) {
  constexpr std::int64_t kLeast = 8;
  const auto count = std::ssize(y.values);
  std::vector<double> errors(y.values.size()), noise(y.values.size());
  double all_errors = 0, all_noise = 0, size = 0;
  for (size_t i = 0; i < y.values.size(); ++i) {
    const double a = x.values[i], b = y.values[i];
    if (std::isfinite(a) && std::isfinite(b)) errors[i] = (a - b) * (a - b);
    if (i < spread.squares.size()) noise[i] = spread.squares[i] / std::max(1, spread.runs);
    all_errors += errors[i], all_noise += noise[i];
    if (std::isfinite(b)) size += b * b;
  }
  const double floor = unit_roundoff * root_mean(size, count);
  double greatest = ratio_of(all_errors, all_noise, floor, static_cast<double>(count));
  std::int64_t inner = count;
  for (const std::int64_t length : y.shape) {
    inner /= std::max<std::int64_t>(1, length);
    if (length < 2 || count / length < kLeast) continue;
    SliceSums sums(length);
    for (std::int64_t i = 0; i < count; ++i) {
      const auto slice = static_cast<size_t>(i / inner % length);
      sums.errors[slice] += errors[static_cast<size_t>(i)], sums.noise[slice] += noise[static_cast<size_t>(i)];
    }
    for (size_t k = 0; k < sums.errors.size(); ++k)
      greatest =
          std::max(greatest, ratio_of(sums.errors[k], sums.noise[k], floor, static_cast<double>(count / length)));
  }
  return greatest;
}

std::vector<std::int64_t> sample_places(std::int64_t count) {
  constexpr std::int64_t kMost = 256;
  std::vector<std::int64_t> places;
  if (count <= kMost) {
    for (std::int64_t i = 0; i < count; ++i) places.push_back(i);
    return places;
  }
  constexpr double kGolden = 0.6180339887498949;  // whose multiples meet no rhythm of axes
  for (std::int64_t k = 0; k < kMost; ++k) {
    const double turn = kGolden * static_cast<double>(k);
    places.push_back(
        std::min(count - 1, static_cast<std::int64_t>((turn - std::floor(turn)) * static_cast<double>(count))));
  }
  std::ranges::sort(places);
  return places;
}

namespace {

std::uint64_t mixed(std::uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

std::uint64_t hashed(double x) {
  if (std::isnan(x)) return mixed(1);
  return mixed(std::bit_cast<std::uint64_t>(x == 0 ? 0.0 : x) + 0x9e3779b97f4a7c15);
}

}  // namespace

Sketch sketch_of(const Numbers& numbers) {
  Sketch sketch;
  sketch.shape = numbers.shape;
  sketch.count = std::ssize(numbers.values);
  double sum = 0, squares = 0;
  std::int64_t finite = 0;
  for (const double x : numbers.values) {
    const std::uint64_t hash = hashed(x);
    sketch.in_order = mixed(sketch.in_order * 3 + hash);
    sketch.in_any_order += hash;
    if (!is_same(x, numbers.values.front())) sketch.is_constant = false;
    if (!std::isfinite(x)) continue;
    sketch.least = finite == 0 ? x : std::min(sketch.least, x);
    sketch.greatest = finite == 0 ? x : std::max(sketch.greatest, x);
    sum += x, squares += x * x, ++finite;
  }
  if (finite > 0) sketch.mean = sum / static_cast<double>(finite);
  sketch.rms = root_mean(squares, finite);
  for (const std::int64_t place : sample_places(sketch.count))
    sketch.samples.push_back(numbers.values[static_cast<size_t>(place)]);
  return sketch;
}

namespace {

/// Whether the samples `taken` are those of a tensor of this rms, within the tolerance.
bool are_close(const std::vector<double>& taken, const std::vector<double>& samples, double rms, double tolerance) {
  constexpr double kGreatest = 8;  // errors over their rms
  double squares = 0;
  for (size_t i = 0; i < samples.size(); ++i) {
    if (is_same(taken[i], samples[i])) continue;
    const double error = std::abs(taken[i] - samples[i]);
    if (!(error <= kGreatest * tolerance * rms)) return false;
    squares += error * error;
  }
  return root_mean(squares, std::ssize(samples)) <= tolerance * rms;
}

std::vector<double> samples_at(const Numbers& numbers, const std::vector<std::int64_t>& places) {
  std::vector<double> samples;
  samples.reserve(places.size());
  for (const std::int64_t place : places) samples.push_back(numbers.values[static_cast<size_t>(place)]);
  return samples;
}

/// What the samples of the other tensor would be, if it were the numbers in this layout.
std::vector<double> samples_in(const Numbers& numbers, const Layout& layout, const Dims& to) {
  const Dims source = squeezed(numbers.shape), target = squeezed(to);
  std::vector<std::int64_t> strides(source.size(), 1), places = sample_places(element_count(to));
  for (size_t k = source.size(); k-- > 1;) strides[k - 1] = strides[k] * source[k];
  for (std::int64_t& place : places) {
    std::int64_t rest = place, at = 0;
    for (size_t k = target.size(); k-- > 0;) {
      at += rest % target[k] * strides[layout.order[k]];
      rest /= target[k];
    }
    place = at;
  }
  return samples_at(numbers, places);
}

bool may_be_alike(const Sketch& a, const Sketch& b, double tolerance) {
  const auto is_near = [&](double x, double y) {
    return x == y || std::abs(x - y) <= (20 * tolerance + 1e-9) * (std::abs(y) + b.rms);
  };
  return is_near(a.mean, b.mean) && is_near(a.rms, b.rms) && is_near(a.least, b.least) &&
         is_near(a.greatest, b.greatest);
}

}  // namespace

std::optional<Likeness> likeness_to(const Numbers& numbers, const Sketch& own, const Sketch& other) {
  if (own.count != other.count || own.is_constant || other.is_constant) return std::nullopt;
  if (own.in_order == other.in_order) return Likeness{};
  if (!may_be_alike(own, other, kTolerances[2])) return std::nullopt;
  const std::vector<Layout> layouts = possible_layouts(numbers.shape, other.shape);
  if (own.in_any_order == other.in_any_order)
    for (const Layout& layout : layouts)
      if (are_close(samples_in(numbers, layout, other.shape), other.samples, other.rms, 0)) return Likeness{0, layout};
  for (const double tolerance : {kTolerances[1], kTolerances[2]}) {
    if (!may_be_alike(own, other, tolerance)) continue;
    if (are_close(own.samples, other.samples, other.rms, tolerance)) return Likeness{tolerance, {}};
    for (const Layout& layout : layouts)
      if (are_close(samples_in(numbers, layout, other.shape), other.samples, other.rms, tolerance))
        return Likeness{tolerance, layout};
  }
  return std::nullopt;
}

Layout layout_by_values(const Numbers& numbers, const Numbers& other) {
  constexpr double kNear = 1e-2;
  if (numbers.shape == other.shape || numbers.values.size() != other.values.size()) return {};
  const std::vector<std::int64_t> places = sample_places(std::ssize(other.values));
  const std::vector<double> samples = samples_at(other, places);
  double squares = 0;
  for (const double x : samples)
    if (std::isfinite(x)) squares += x * x;
  const double rms = root_mean(squares, std::ssize(samples));
  if (are_close(samples_at(numbers, places), samples, rms, kNear)) return {};
  for (const Layout& layout : possible_layouts(numbers.shape, other.shape))
    if (are_close(samples_in(numbers, layout, other.shape), samples, rms, kNear)) return layout;
  return {};
}

double correlation(const Sketch& a, const Sketch& b) {
  if (a.count != b.count || a.samples.size() != b.samples.size()) return 0;
  double mean_a = 0, mean_b = 0;
  const auto n = static_cast<double>(a.samples.size());
  const auto finite = [](double x) { return std::isfinite(x) ? x : 0; };
  for (size_t i = 0; i < a.samples.size(); ++i) mean_a += finite(a.samples[i]) / n, mean_b += finite(b.samples[i]) / n;
  double ab = 0, aa = 0, bb = 0;
  for (size_t i = 0; i < a.samples.size(); ++i) {
    const double x = finite(a.samples[i]) - mean_a, y = finite(b.samples[i]) - mean_b;
    ab += x * y, aa += x * x, bb += y * y;
  }
  return aa > 0 && bb > 0 ? ab / (std::sqrt(aa) * std::sqrt(bb)) : 1;
}

}  // namespace opref::models
