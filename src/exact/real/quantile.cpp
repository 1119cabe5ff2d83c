// SPDX-License-Identifier: Apache-2.0
#include "exact/real/quantile.h"

#include <cmath>

#include "exact/real/bounded_functions.h"
#include "exact/real/inverse_error.h"
#include "exact/real/real_number.h"

namespace opref::exact {
namespace {

template <class R>
R difference_at(const R& w0, const R& t) {
  return (erfc(w0) - t) * (sqrt(pi(t)) * R(0.5)) * exp(square(w0));
}
/// The series without its rest.
template <class R>
R series(const R& w0, const R& d) {
  return w0 + d + w0 * square(d);
}
/// What the rest is at most.
template <class R>
R rest_of(const R& w0, const R& size) {
  const R most = w0 + R(2.0) * size;
  return (R(1.0) + R(4.0) * (most * most)) * (size * size * size) * R(0.5);
}

/// w near enough for the steps that follow, of ln t: S. Winitzki's formula; far out, where e^(-w²) = t·w·√π but for a
/// few parts in a hundred, a fixed point of that.
double estimate(double log_t) {
  if (log_t < -9) {
    constexpr double kLogRootPi = 0.5723649429247001;
    double w = std::sqrt(-log_t);
    for (int step = 0; step < 4; ++step) w = std::sqrt(-log_t - log(Bounded(w)).v - kLogRootPi);
    return w;
  }
  constexpr double kA = 0.147, kTwoOverPi = 0.6366197723675814;
  const double t = exp(Bounded(log_t)).v, log_of = log_t + log(Bounded(2 - std::min(t, 1.0))).v,
               sum = kTwoOverPi / kA + log_of / 2;
  return std::sqrt(std::max(std::sqrt(std::max(sum * sum - log_of / kA, 0.0)) - sum, 0.0));
}

Interval unknown() {
  return choose(
      Interval::Truth::unknown, [] { return Interval(quick::kNaN); }, [] { return Interval(0.0); });
}
double middle(const Interval& x) {
  return RealNumber(x.low()).nearest_double() / 2 + RealNumber(x.high()).nearest_double() / 2;
}

}  // namespace

Bounded quantile(const Bounded& p) {
  const double e = p.e * 1.01;
  if (p.e == 0 && !(p.v > 0 && p.v < 1 && p.v != 0.5))
    return {p.v == 0 ? -kInfinity : p.v == 1 ? kInfinity : p.v == 0.5 ? 0.0 : quick::kNaN, 0};
  if (!(p.v - e > 0 && p.v + e < 1 && std::abs(p.v - 0.5) > e)) return {0, kInfinity};
  const bool is_low = p.v < 0.5;
  const Bounded t = Bounded(2.0) * (is_low ? p : Bounded(1.0) - p);
  double w0 = estimate(log(Bounded(t.v)).v), size = kInfinity, rest = kInfinity;
  Bounded d = 0.0;
  for (int step = 0; step < 6 && rest > w0 * 0x1p-55; ++step) {
    if (step > 0) w0 = series(Bounded(w0), d).v;
    d = difference_at(Bounded(w0), t);
    size = bounded::size(d), rest = rest_of(w0, size) * 1.01;
  }
  const Bounded w = series(Bounded(w0), d),
                y = sqrt(Bounded(2.0)) * Bounded(w.v, w.e + rest + bounded::unless((1 + w0) * size <= bounded::kSteep));
  return is_low ? -y : y;
}

/// Each step adds to w0 a double that is nearest to what it lacks, some 48 bits.
Interval quantile(const Interval& p) {
  if (p.is_nan()) return p;
  if (p.is_anything()) return unknown();
  const std::optional<int> above = p.sign(), below = (Interval(1.0) - p).sign(), side = (p - Interval(0.5)).sign();
  if (above == -1 || below == -1) return Interval(quick::kNaN);
  if (above == 0) return Interval(-kInfinity);
  if (below == 0) return Interval(kInfinity);
  if (side == 0) return Interval(0.0);
  if (!above || !below || !side) return unknown();
  const bool is_low = *side < 0;
  const Interval t = Interval(2.0) * (is_low ? p : Interval(1.0) - p);
  Interval w0(estimate(middle(log(t)))), d(0.0);
  constexpr int kSteps = 64;
  const double enough =
      std::ldexp(1.0, -static_cast<int>(Interval::precision / 3));  // what the rest leaves is its cube
  for (int step = 0; step < kSteps; ++step) {
    d = difference_at(w0, t);
    const double lacks = middle(d);
    if (!(std::abs(lacks) > enough) || !std::isfinite(lacks)) break;
    w0 = w0 + Interval(lacks);
  }
  const Interval size = abs(d), slope = (Interval(1.0) + w0) * size;
  if ((Interval(0x1p-10) < slope) != Interval::Truth::no) return unknown();
  const Interval y = series(w0, d), rest = rest_of(w0, size);
  const Interval w = choose(
      Interval::Truth::unknown, [&] { return y - rest; }, [&] { return y + rest; });
  return (is_low ? -sqrt(Interval(2.0)) : sqrt(Interval(2.0))) * w;
}

Faithful quantile(const Faithful& p) {
  if (p.error() == 0 && p.low() == 0 && !(p.high() > 0 && p.high() < 1 && p.high() != 0.5)) {
    const double x = p.high();
    return {x == 0 ? -kInfinity : x == 1 ? kInfinity : x == 0.5 ? 0.0 : quick::kNaN, 0, 0};
  }
  return sqrt(Faithful(2.0)) * erfinv(Faithful(2.0) * p - Faithful(1.0));
}

}  // namespace opref::exact
