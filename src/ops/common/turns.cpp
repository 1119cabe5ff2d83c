// SPDX-License-Identifier: Apache-2.0
#include "ops/common/turns.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/error.h"
#include "exact/real/real_number.h"
#include "exact/real/with_precision.h"

namespace opref::ops {
namespace {

// cos(2πe/M), e <= M/4: exact where it is 0, 1 or 1/2.
exact::Interval cosine(std::int64_t e, std::int64_t M) {
  using exact::Interval;
  if (4 * e == M) return Interval(0.0);
  if (6 * e == M) return Interval(0.5);
  const Interval one(1.0);
  return e == 0 ? one : cos(Interval(2.0) * pi(one) * Interval::whole(e) / Interval::whole(M));
}

/// f(cos(2πe/M)) for e < M, all of them by those of the first quarter, f being odd; M is a multiple of 4.
template <class F>
auto table(std::int64_t M, const F& f) {
  std::vector<std::decay_t<decltype(f(cosine(0, M)))>> all;
  all.reserve(static_cast<size_t>(M));
  const auto at = [&](std::int64_t e) { return all[static_cast<size_t>(e)]; };
  for (std::int64_t e = 0; e <= M / 4; ++e) all.push_back(f(cosine(e, M)));
  for (std::int64_t e = M / 4 + 1; e <= M / 2; ++e) all.push_back(-at(M / 2 - e));
  for (std::int64_t e = M / 2 + 1; e < M; ++e) all.push_back(at(M - e));
  return all;
}

/// Places and what stands there, in order, none of it zero.
using Terms = std::vector<std::pair<std::int64_t, Rational>>;

Terms difference(const Terms& a, const Terms& b) {
  Terms y;
  y.reserve(a.size() + b.size());
  for (auto i = a.begin(), j = b.begin(); i != a.end() || j != b.end();)
    if (j == b.end() || (i != a.end() && i->first < j->first)) {
      y.push_back(*i++);
    } else if (i == a.end() || j->first < i->first) {
      y.emplace_back(j->first, -j->second), ++j;
    } else {
      if (const Rational c = i->second - j->second; c != Rational(0)) y.emplace_back(i->first, c);
      ++i, ++j;
    }
  return y;
}

/// Each at its place plus `step`, modulo M.
Terms turned(const Terms& a, std::int64_t step, std::int64_t M) {
  Terms y;
  y.reserve(a.size());
  const auto first = std::ranges::lower_bound(a, M - step, {}, &Terms::value_type::first);
  for (auto i = first; i != a.end(); ++i) y.emplace_back(i->first + step - M, i->second);
  for (auto i = a.begin(); i != first; ++i) y.emplace_back(i->first + step, i->second);
  return y;
}

}  // namespace

Turns::Turns(std::int64_t N) : N_(N), M_(checked_multiply(N, 4 / std::gcd<std::int64_t>(N, 4))) {
  constexpr std::int64_t kMost = std::int64_t{1} << 20;
  if (N > kMost) fail(Fault::unsupported, "a transform of length {}, more than {}", N, kMost);
  std::int64_t rest = M_;
  for (std::int64_t p = 2; p * p <= rest; ++p)
    if (rest % p == 0) {
      primes_.push_back(p);
      while (rest % p == 0) rest /= p;
    }
  if (rest > 1) primes_.push_back(rest);
  const exact::WithPrecision precision(96);
  near_ = table(M_, [](const exact::Interval& c) {
    const double near = exact::RealNumber(c.low()).nearest_double();
    return exact::Bounded(near, c.is_point() ? 0 : std::abs(near) * 0x1p-52);
  });
}

const std::vector<exact::Interval>& Turns::intervals() const {
  const std::lock_guard lock(tables_->mutex);
  const auto known = tables_->of.find(exact::Interval::precision);
  if (known != tables_->of.end()) return known->second;
  return tables_->of.emplace(exact::Interval::precision, table(M_, [](const exact::Interval& c) { return c; }))
      .first->second;
}

// The mean of the conjugates of cos(2πe/M) is μ(d)/φ(d), d = M/gcd(e, M).
Rational Turns::mean(const std::map<std::int64_t, Rational>& terms) const {
  Rational mean(0);
  for (const auto& [e, c] : terms) {
    std::int64_t d = M_ / std::gcd(e, M_), phi = 1;
    int sign = 1;
    for (const std::int64_t p : primes_) {
      if (d % p != 0) continue;
      d /= p, phi *= p - 1, sign = d % p == 0 ? 0 : -sign;
      if (sign == 0) break;
    }
    if (sign != 0) mean = mean + c * Rational(sign) / Rational(phi);
  }
  return mean;
}

// A polynomial f in ζ, of order M, is 0 iff f·Π(1 - x^(M/p)) over the primes of M is 0 modulo x^M - 1: the product is 0
// in all its other fields, but not in ζ's.
std::optional<Rational> Turns::rational(const std::map<std::int64_t, Rational>& terms) const {
  const Rational all = mean(terms);
  // Σ c·(x^e + x^-e) - 2·mean
  std::map<std::int64_t, Rational> doubled;
  const auto add = [&](std::int64_t e, const Rational& c) {
    Rational& place = doubled[e];
    place = place + c;
  };
  for (const auto& [e, c] : terms) add(e, c), add((M_ - e) % M_, c);
  add(0, Rational(-2) * all);
  Terms f;
  for (const auto& [e, c] : doubled)
    if (c != Rational(0)) f.emplace_back(e, c);
  for (const std::int64_t p : primes_) f = difference(f, turned(f, M_ / p, M_));
  return f.empty() ? std::optional(all) : std::nullopt;
}

namespace {

/// a + b; false where that is no double.
bool add_exactly(double& a, double b) {
  const double s = a + b, t = s - a, rest = (a - (s - t)) + (b - t);
  a = s;
  return rest == 0;
}

}  // namespace

ExactDouble operator*(const ExactDouble& a, const ExactDouble& b) {
  ExactDouble p(a.value * b.value);
  const bool is_zero = a.value == 0 || b.value == 0, is_large = std::abs(p.value) > 0x1p-900;
  p.is_exact = a.is_exact && b.is_exact && (is_zero || is_large) && std::fma(a.value, b.value, -p.value) == 0;
  return p;
}

void TurnSum<ExactDouble>::add(std::int64_t e, const ExactDouble& c) {
  is_exact_ = add_exactly(terms_[static_cast<size_t>((e % M_ + M_) % M_)], c.value) && c.is_exact && is_exact_;
}

// As `rational`, all times φ(M).
Turns::Answer Turns::is_rational(const std::vector<double>& c, Rational& mean) const {
  std::int64_t phi_of_M = M_;
  for (const std::int64_t p : primes_) phi_of_M = phi_of_M / p * (p - 1);
  const ExactDouble phi = ExactDouble::whole(phi_of_M);
  double sum = 0;
  bool is_exact = true;
  std::vector<double> f(c.size());
  for (std::int64_t e = 0; e < M_; ++e) {
    const double own = c[static_cast<size_t>(e)];
    if (own == 0) continue;
    std::int64_t d = M_ / std::gcd(e, M_), phi_of_d = 1;
    int sign = 1;
    for (const std::int64_t p : primes_) {
      if (d % p != 0) continue;
      d /= p, phi_of_d *= p - 1, sign = d % p == 0 ? 0 : -sign;
      if (sign == 0) break;
    }
    const ExactDouble part = ExactDouble(own) * ExactDouble::whole(phi_of_M / phi_of_d * sign),
                      all = ExactDouble(own) * phi;
    is_exact = is_exact && part.is_exact && all.is_exact && add_exactly(sum, part.value) &&
               add_exactly(f[static_cast<size_t>(e)], all.value) &&
               add_exactly(f[static_cast<size_t>((M_ - e) % M_)], all.value);
  }
  is_exact = is_exact && add_exactly(f[0], -2 * sum);
  for (const std::int64_t p : primes_) {
    const std::vector<double> g = f;
    const std::int64_t step = M_ / p;
    for (std::int64_t e = 0; e < M_; ++e)
      is_exact = add_exactly(f[static_cast<size_t>(e)], -g[static_cast<size_t>((e - step + M_) % M_)]) && is_exact;
  }
  if (!is_exact) return Answer::unknown;
  for (const double x : f)
    if (x != 0) return Answer::no;
  mean = Rational::of(sum) / Rational(phi_of_M);
  return Answer::yes;
}

bool all_finite(const Tensor& x) {
  const evaluators::Elements elements(x);
  for (std::int64_t i = 0, count = x.count(); i < count; ++i)
    if (!std::isfinite(elements.number(i))) return false;
  return true;
}

}  // namespace opref::ops
