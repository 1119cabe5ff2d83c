// SPDX-License-Identifier: Apache-2.0
// A real number known as a double and how wrong it can be: the first tier of real formulas. Running error analysis in
// which an operation's own rounding error is what error-free transformations say it is: 0 where the operation was
// exact, so that ties of rational formulas are decided here.
//
// Only + - * / and fma are used, whose results IEEE 754 defines: no library's accuracy is relied on. Everything is free
// of branches, and of logic on bools, which GCC 12 does not make vector code of: a condition is a number at once, 0 or
// an infinite error (`unless`).
//
// e is itself computed in double: k operations leave it at least (1 - 2^-53)^(4k) of what it should be. Whoever rounds
// pays for that by one factor 1.01. Where a bound would be too steep for this, e is infinite: nothing is known.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <iterator>

#include "exact/real/constants.h"
#include "exact/vector.h"

namespace opref::exact {

/// A number and a bound of its error. Operations give the bound of their result.
struct Bounded {
  double v, e;  ///< the number is in [v - e, v + e]
  OPREF_INLINE Bounded(double exact) : v(exact), e(0) {}
  OPREF_INLINE Bounded(double value, double error) : v(value), e(error) {}
};

namespace bounded {

inline constexpr double kInfinity = __builtin_inf();
inline constexpr double kTiny = 0x1p-1000;  ///< pays for underflow
inline constexpr double kSmall = 0x1p-960;  ///< results below may have lost something
inline constexpr double kSteep = 0x1p-10;   ///< relative errors above: nothing is known any more

OPREF_INLINE double least(double a, double b) { return a < b ? a : b; }
OPREF_INLINE double most(double a, double b) { return a > b ? a : b; }
/// What the number is at most, but for its sign.
OPREF_INLINE double size(const Bounded& a) { return std::abs(a.v) + a.e; }
/// Nothing is known unless the condition holds, which it does not for NaN.
OPREF_INLINE double unless(bool holds) { return holds ? 0.0 : kInfinity; }
/// What underflow may cost in products with errors, and in a small product: there nothing where a factor is zero.
OPREF_INLINE double underflow(double product, double factors, double errors) {
  return least(errors, kTiny) + (std::abs(product) < kSmall ? least(factors, kTiny) : 0.0);
}

}  // namespace bounded

OPREF_INLINE Bounded operator-(const Bounded& a) { return {-a.v, a.e}; }
OPREF_INLINE Bounded operator+(const Bounded& a, const Bounded& b) {
  const double s = a.v + b.v, t = s - a.v;
  const double rounding = std::abs((a.v - (s - t)) + (b.v - t));  // TwoSum; NaN where s is infinite
  return {s, a.e + b.e + (rounding <= bounded::kInfinity ? rounding : 0.0)};
}
OPREF_INLINE Bounded operator-(const Bounded& a, const Bounded& b) { return a + -b; }
OPREF_INLINE Bounded operator*(const Bounded& a, const Bounded& b) {
  using namespace bounded;
  const double p = a.v * b.v, rounding = std::abs(__builtin_fma(a.v, b.v, -p));
  const double inherited = std::abs(a.v) * b.e + size(b) * a.e;
  return {p, inherited + rounding + underflow(p, least(size(a), size(b)), a.e + b.e)};
}
OPREF_INLINE Bounded operator/(const Bounded& a, const Bounded& b) {
  using namespace bounded;
  const double q = a.v / b.v, rest = std::abs(__builtin_fma(-q, b.v, a.v)), d = std::abs(b.v);
  const double inherited = a.e + std::abs(q) * b.e + underflow(a.v, size(a), a.e + b.e), off = inherited + rest;
  return {q, off / (d - b.e) + least(off, kTiny) + unless(b.e <= kSteep * d)};
}

/// e^x. Of x = k·ln 2 + r, |r| <= 0.347, it is 2^k·(1 + r + r²·p(r)) with Taylor's polynomial p of degree 12, whose
/// remainder is below 2^-62. x - k·kLn2Hi is exact, and r = x where k = 0, so r lacks k·2^-98 and one rounding of at
/// most 2^-55. The sum 1 + r + r²·p(r) is in [0.70, 1.42]. Counted in 2^-53, its error has from r at most 0.25 of it,
/// from r² and p 0.15, from r + r²·p(r) 0.25 and from the last addition 1, or 1/2 where it is below 1: relative to it
/// at most 1.6. kRho is 4, so that a test can tell a wrong claim (bounded_test.cpp).
/// Where x.v is below -690 it is v ± 3v with v near e^max(x.v, -700): e^(x.v + x.e) is below 2·v, as x.e < 2^-10·|x.v|.
OPREF_INLINE Bounded exp(const Bounded& x) {
  using namespace bounded;
  constexpr double kRho = 0x1p-51, kShift = 0x1.8p52, kLowest = -690, kHighest = 690;
  const double clamped = most(x.v, kLowest - 10);
  const double shifted = __builtin_fma(clamped, kLog2E, kShift), k = shifted - kShift;
  const double r = __builtin_fma(-k, kLn2Lo, __builtin_fma(-k, kLn2Hi, clamped));
  double p = 0;
#pragma GCC unroll 16
  for (int i = static_cast<int>(std::size(kExp)) - 1; i >= 0; --i) p = __builtin_fma(p, r, kExp[i]);
  const double rest = __builtin_fma(r * r, p, r);
  const double scale = std::bit_cast<double>((std::bit_cast<std::uint64_t>(shifted) + 1023) << 52);
  const double v = __builtin_fma(scale, rest, scale);
  const double steep = x.v < kLowest ? -x.v * kSteep : kSteep;
  return {v, v * (x.v < kLowest ? 3 : kRho + x.e * 1.01) + unless(x.e < steep) + unless(x.v <= kHighest)};
}

}  // namespace opref::exact
