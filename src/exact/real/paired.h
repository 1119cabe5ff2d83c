// SPDX-License-Identifier: Apache-2.0
// A real number as an unevaluated sum of two doubles and how wrong that can be: the second estimate. For float64
// results, and for long formulas of narrow ones (recurrences), whose bounds grow.
//
// Errors are counted as in pair.h; a sum of two doubles is exact. √a is wrong by at most 4.1 u²: the remainder a.h - s²
// is exact; with a.l it is at most 3u·a: sum 1.5, quotient 1.5, the second term of √ 1.1. What underflows is paid for
// apart.
#pragma once

#include <concepts>

#include "exact/real/bounded.h"
#include "exact/real/pair.h"

namespace opref::exact {

/// A pair and a bound of its error. What a pair cannot hold, as infinity, has NaN or an infinite error.
struct Paired {
  double h, l, e;  ///< the number is in [h + l - e, h + l + e]; h = RN(h + l)
  OPREF_INLINE Paired(double exact) : h(exact), l(0), e(0) {}
  OPREF_INLINE Paired(const Pair& p, double error) : h(p.h), l(p.l), e(error) {}
  OPREF_INLINE Paired(double high, double low, double error) : h(high), l(low), e(error) {}
  template <std::integral N>
  OPREF_INLINE static Paired whole(N n) {
    const WholeParts parts = parts_of_whole(n);
    return {parts.nearest, parts.rest, 0};
  }
  OPREF_INLINE Pair pair() const { return {h, l}; }
};

namespace paired {
using namespace bounded;
inline constexpr double kUnit = 0x1p-106;  ///< u²
inline constexpr double kSumError = 3.25 * kUnit, kProductError = 6.25 * kUnit, kQuotientError = 11.25 * kUnit,
                        kRootError = 4.25 * kUnit;
inline constexpr double kLeast = 0x1p-850, kLost = 0x1p-1060;  ///< numbers below the one may have lost the other
OPREF_INLINE double size(const Paired& a) { return std::abs(a.h) * (1 + 0x1p-50) + a.e; }
/// What underflow may cost of products, and of results below kLeast: nothing where a factor is zero.
OPREF_INLINE double underflow_of(double product, double factors, double errors) {
  return (factors == 0 ? 0.0 : least(errors, kTiny)) + (std::abs(product) < kLeast ? least(factors, kLost) : 0.0);
}
OPREF_INLINE double lost(double result) { return std::abs(result) < kLeast ? kLost : 0.0; }
OPREF_INLINE double small(const Paired& x) { return std::abs(x.h) < kLeast ? least(size(x), kLost) : 0.0; }
}  // namespace paired

OPREF_INLINE Paired operator-(const Paired& a) { return {-a.h, -a.l, a.e}; }
OPREF_INLINE Paired operator+(const Paired& a, const Paired& b) {
  const Pair s = a.pair() + b.pair();
  const double smaller = paired::least(std::abs(a.h), std::abs(b.h)), rest = std::abs(a.l) + std::abs(b.l),
               zero = a.h + b.h;  // of which the sum loses the sign, and of infinity all
  // Infinite where finite numbers overflow: then their difference is; of an infinite number it is NaN.
  const double nothing = std::abs(b.h - (zero - a.h)) == kInfinity ? kInfinity : 0.0;
  return {std::abs(s.h) > 0 ? s.h : zero, s.l,
          a.e + b.e + (paired::least(smaller, rest) == 0 ? nothing : std::abs(s.h) * paired::kSumError)};
}
OPREF_INLINE Paired operator-(const Paired& a, const Paired& b) { return a + -b; }
OPREF_INLINE Paired operator*(const Paired& a, const Paired& b) {
  using namespace paired;
  const Pair p = a.pair() * b.pair();
  const double zero = a.h * b.h;  // of which the sum loses the sign
  return {p.h == 0 ? zero : p.h, p.l,
          std::abs(a.h) * 1.01 * b.e + size(b) * a.e + std::abs(p.h) * kProductError +
              underflow_of(p.h, least(size(a), size(b)), a.e + b.e)};
}
OPREF_INLINE Paired square(const Paired& a) { return a * a; }
OPREF_INLINE Paired operator/(const Paired& a, const Paired& b) {
  using namespace paired;
  const Pair q = a.pair() / b.pair();
  const double d = std::abs(b.h), zero = a.h / b.h;
  return {q.h == 0 ? zero : q.h, q.l,
          1.01 * (a.e + std::abs(q.h) * b.e) / d + std::abs(q.h) * kQuotientError +
              underflow_of(q.h, size(a), a.e + b.e) + (std::abs(a.h) < kLeast ? least(size(a), kLost) / d : 0.0) +
              unless(b.e <= kSteep * d) + unless(d <= 0x1p1000)};
}
/// times a power of two
OPREF_INLINE Paired scaled(double power, const Paired& x) {
  return {x.h * power, x.l * power,
          x.e * std::abs(power) +
              (std::abs(x.h * power) < paired::kLeast ? paired::least(paired::size(x), paired::kLost) : 0.0)};
}
OPREF_INLINE Paired sqrt(const Paired& a) {
  using namespace paired;
  const double s = __builtin_sqrt(a.h), rest = __builtin_fma(-s, s, a.h) + a.l;
  const bool zero = a.h + a.e == 0;
  const Pair r = fast_two_sum(s, rest / (2 * s));
  return {zero ? a.h : r.h, zero ? 0.0 : r.l,
          zero ? 0.0 : a.e / s * 0.51 + s * kRootError + unless(a.e <= kSteep * a.h) + unless(a.h >= kLeast)};
}
/// ±y as the sign of x has it.
OPREF_INLINE Paired odd(const Paired& x, const Paired& y) {
  const double sign = std::copysign(1.0, x.h);
  return {y.h * sign, y.l * sign, y.e};
}
OPREF_INLINE Paired abs(const Paired& x) { return odd(x, x); }
OPREF_INLINE Paired select(bool first, const Paired& a, const Paired& b) {
  return {first ? a.h : b.h, first ? a.l : b.l, first ? a.e : b.e};
}
OPREF_INLINE bool is_finite(const Paired& a) { return paired::size(a) < kInfinity; }

/// a - b: a number of its sign, and what it is at least but for its sign. h of the greater one is not less, as it is
/// RN of it; where both are equal, l decides. The sum of differences loses less than half of it.
struct PairedDifference {
  double sign, least;
};
OPREF_INLINE PairedDifference difference(const Paired& a, const Paired& b) {
  const double high = a.h - b.h, low = a.l - b.l;
  return {high == 0 ? low : high, std::abs(high + low) * 0.49};
}
/// As of Bounded: the error of one of them where it is known which. Of two zeros +0.
OPREF_INLINE Paired max(const Paired& a, const Paired& b) {
  using namespace paired;
  const PairedDifference d = difference(a, b);
  const double known = d.least - (a.e + b.e) * 1.01;
  const double own = d.sign > 0 ? a.e : b.e, either = most(a.e, b.e), zero = a.h + b.h;
  const double h = d.sign > 0 ? a.h : b.h;
  return {h == 0 ? (d.sign == 0 ? zero : h) : h, d.sign > 0 ? a.l : b.l,
          (known > 0 ? own : either) + unless(std::abs(d.sign) <= kInfinity) + unless(a.e + b.e >= 0)};
}
OPREF_INLINE Paired min(const Paired& a, const Paired& b) { return -max(-a, -b); }

/// As of Bounded.
struct PairedLess {
  bool holds;
  double blur;
};
OPREF_INLINE PairedLess operator<(const Paired& a, const Paired& b) {
  using namespace paired;
  const PairedDifference d = difference(a, b);
  const double e = a.e + b.e;
  return {d.sign < 0, unless((e == 0 ? 1.0 : d.least - e * 1.01) > 0) + unless(std::abs(d.sign) <= kInfinity)};
}
template <class F, class G>
OPREF_INLINE Paired choose(PairedLess condition, const F& f, const G& g) {
  const Paired a = f(), b = g();
  return {condition.holds ? a.h : b.h, condition.holds ? a.l : b.l, (condition.holds ? a.e : b.e) + condition.blur};
}

/// The double nearest to all of the number; `open` is 0, or infinite where there is none. Half a unit of l, e and what
/// e's own roundings may cost are counted; what is not finite, huge or below 2^-950 is open, unless it is exactly zero.
struct NearestDouble {
  double value, open;
};
OPREF_INLINE NearestDouble nearest_double(const Paired& y) {
  using namespace paired;
  const double e = y.e * 1.01 + (y.l == 0 ? 0.0 : std::abs(y.l) * 0x1.1p-53);
  const double a = y.h + (y.l - e), b = y.h + (y.l + e), size = std::abs(y.h);
  const double bad = unless(a == b) + unless(size < 0x1p1020) + unless(size > 0x1p-950), zero = size + e;
  return {y.h == 0 ? y.h : b, zero == 0 ? 0.0 : bad};
}

}  // namespace opref::exact
