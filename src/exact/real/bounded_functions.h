// SPDX-License-Identifier: Apache-2.0
// Functions of Bounded: five kernels, whose claimed errors (k…Error, relative) bounded_functions_test.cpp compares with
// MPFR's numbers, and what is composed of them, which needs no claim. All kernels but erfc are Taylor's polynomials,
// whose truncation is the remainder term.
#pragma once

#include "exact/real/bounded.h"

namespace opref::exact {
namespace bounded {

inline constexpr double kShift = 0x1.8p52;  ///< added to |x| < 2^51 it leaves x rounded to an integer in the last bits
OPREF_INLINE double from_bits(std::uint64_t bits) { return std::bit_cast<double>(bits); }
OPREF_INLINE std::uint64_t bits_of(double x) { return std::bit_cast<std::uint64_t>(x); }
template <std::size_t N>
OPREF_INLINE double polynomial(const double (&c)[N], double x) {
  double sum = c[N - 1];
#pragma GCC unroll 32
  for (int i = static_cast<int>(N) - 2; i >= 0; --i) sum = __builtin_fma(sum, x, c[i]);
  return sum;
}

inline constexpr double kExpError = 0x1p-51, kExpm1Error = 0x1p-50, kLogError = 0x1p-50, kSinError = 0x1p-50,
                        kAtanError = 0x1p-49, kErfError = 0x1p-49, kErfcError = 0x1p-48;

/// e^x = scale·(1 + rest) for -700 <= x <= 690. Of x = k·ln 2 + r, |r| <= 0.347, rest is r + r²·p(r) with Taylor's
/// polynomial p of degree 12, whose remainder is below 2^-62. x - k·kLn2Hi is exact, and r = x where k = 0, so r lacks
/// k·2^-98 and one rounding of at most 2^-55. The sum 1 + rest is in [0.70, 1.42]. Counted in 2^-53, its error has from
/// r at most 0.25 of it, from r² and p 0.15, from r + r²·p(r) 0.25 and from the last addition 1, or 1/2 where it is
/// below 1: relative to it at most 1.6, of which the claim is 4. The claim of scale·rest + (scale - 1) is 8: scale - 1
/// is exact or wrong by 1, rest by 1, and where k is not 0, 2^k is at most 4.9 times the sum (k = 1, x = 0.3466: 2 of
/// 0.414), so that it is wrong by at most 5.9.
struct PowerOfE {
  double rest, scale;
};
OPREF_INLINE PowerOfE power_of_e(double x) {
  const double shifted = __builtin_fma(x, kLog2E, kShift), k = shifted - kShift;
  const double r = __builtin_fma(-k, kLn2Lo, __builtin_fma(-k, kLn2Hi, x));
  return {__builtin_fma(r * r, polynomial(kExp, r), r), from_bits((bits_of(shifted) + 1023) << 52)};
}

/// log of x = 2^k·m, √½ <= m < √2, from s = (m - 1)/(m + 1), |s| <= 0.172: 2s + s³·p(s²), whose remainder is below
/// 2^-61. Where k = 0, m - 1 is `less_one` for log1p, which knows it better. Where k is not, the result is at least
/// 0.34·|k|, so that nothing cancels. Counted in 2^-53 of the result, s is wrong by 2 (denominator and quotient 1 each;
/// m - 1 is exact), the sums by 2: with k ≠ 0 at most 4.2 in all, of which the claim is 8.
OPREF_INLINE double log_of(double x, bool is_log1p, double less_one) {
  constexpr std::uint64_t kRootHalf = 0x3fe6a09e667f3bcd, kBias = 2048;
  const std::uint64_t bits = bits_of(x), field = (bits - kRootHalf + (kBias << 52)) >> 52;  // k + 2048
  const double k = from_bits(0x4330000000000000 | (field & 0xfff)) - (0x1p52 + kBias);
  const double m = from_bits(bits - ((field - kBias) << 52));
  const double near = k == 0 ? less_one : m - 1, numerator = is_log1p ? near : m - 1;
  const double s = numerator / (2 + numerator), z = s * s;
  const double tail = __builtin_fma(s * z, polynomial(kAtanh, z), k * kLn2Lo);
  return __builtin_fma(k, kLn2Hi, __builtin_fma(2, s, tail));
}

/// sin and cos of x = k·π/2 + r, |r| <= 0.79, |x| <= 2^20: remainders below 2^-60. k has 20 bits, kHalfPiHi and
/// kHalfPiMid 32 each: x - k·kHalfPiHi is exact, and so is what k·kHalfPiMid leaves, unless that is above 2^-13, where
/// k·kHalfPiLo < 2^-48 cannot cancel it. Left is k·2^-122.9, of which k·2^-118 is claimed. The claim is 8 units of
/// 2^-53, of which 3.5 are counted: r has two roundings above 2^-13 (after kHalfPiMid and after kHalfPiLo), the sums 1
/// or 2.
struct Turn {
  double sin, cos, e;  ///< without the kernel's claim
};
OPREF_INLINE Turn turn(double x, double e) {
  const double shifted = __builtin_fma(x, kTwoOverPi, kShift), k = shifted - kShift;
  const double r = __builtin_fma(-k, kHalfPiLo, __builtin_fma(-k, kHalfPiMid, __builtin_fma(-k, kHalfPiHi, x)));
  const double z = r * r, s = __builtin_fma(r * z, polynomial(kSin, z), r);
  const double c = __builtin_fma(z * z, polynomial(kCos, z), __builtin_fma(z, -0.5, 1.0));
  const std::uint64_t quadrant = bits_of(shifted);
  const double sine = (quadrant & 1) != 0 ? c : s, cosine = (quadrant & 1) != 0 ? s : c;
  return {from_bits(bits_of(sine) ^ (quadrant & 2) << 62), from_bits(bits_of(cosine) ^ ((quadrant + 1) & 2) << 62),
          e + std::abs(k) * 0x1p-118 + unless(std::abs(x) <= 0x1p20)};
}

/// erfc z for 0 <= z <= 26: e^(-z²)·P((z - 4)/(z + 4))/(1 + 2z), P of degree 25 with 1.8 as the sum of its
/// coefficients' magnitudes; as rounded, P is wrong by at most 5.1e-17 of the result, 0.5 of 2^-53. z² is known but for
/// `rest`. The claim is 32 units of 2^-53, of which 15.3 are counted: the argument's 3 times P's slope of 1.74 are 5.2,
/// Horner's scheme 3.9, e^(-z²) 1.7, what `rest` gives it 1, 1 + 2z 1, the quotient 1, the product 1, P 0.5.
OPREF_INLINE double erfc_of(double z) {
  constexpr double kCentre = 4;
  const double q = z * z, rest = __builtin_fma(z, z, -q);
  const PowerOfE power = power_of_e(-q);
  const double e_q = __builtin_fma(power.scale, power.rest, power.scale);
  const double scaled = polynomial(kErfc, (z - kCentre) / (z + kCentre)) / __builtin_fma(2, z, 1.0);
  return __builtin_fma(-rest, e_q, e_q) * scaled;
}

/// What underflow may cost of functions that are near x where x is small.
OPREF_INLINE double small(const Bounded& x) { return std::abs(x.v) < kSmall ? least(size(x), kTiny) : 0.0; }

inline constexpr double kLowestPower = -690, kHighestPower = 690;
OPREF_INLINE double steep_power(double x) { return x < kLowestPower ? -x * kSteep : kSteep; }

}  // namespace bounded

/// Where x.v is below -690 it is v ± 3v with v near e^max(x.v, -700): e^(x.v + x.e) is below 2·v, as x.e < 2^-10·|x.v|.
OPREF_INLINE Bounded exp(const Bounded& x) {
  using namespace bounded;
  const PowerOfE power = power_of_e(most(x.v, kLowestPower - 10));
  const double v = __builtin_fma(power.scale, power.rest, power.scale);
  const double e = v * (x.v < kLowestPower ? 3 : kExpError + x.e * 1.01);
  return {v, e + unless(x.e < steep_power(x.v)) + unless(x.v <= kHighestPower)};
}
/// e^x - 1, with the sign of x.
OPREF_INLINE Bounded expm1(const Bounded& x) {
  using namespace bounded;
  const PowerOfE power = power_of_e(most(x.v, kLowestPower - 10));
  const double v = __builtin_fma(power.scale, power.rest, power.scale - 1);
  const double e = std::abs(v) * kExpm1Error + (std::abs(v + 1) + 0x1p-50) * x.e * 1.01 +
                   (x.v < kLowestPower ? 0x1p-980 : 0.0) + small(x);
  return {std::copysign(v, x.v), e + unless(x.e < steep_power(x.v)) + unless(x.v <= kHighestPower)};
}
/// NaN below 0.
OPREF_INLINE Bounded log(const Bounded& x) {
  using namespace bounded;
  const double v = log_of(x.v, false, 0), e = std::abs(v) * kLogError + x.e / x.v * 1.01;
  const double known = e + unless(x.v >= kSmall) + unless(x.v <= 0x1p1000) + unless(x.e <= kSteep * x.v);
  return {x.v < -x.e ? __builtin_nan("") : v, x.v < -x.e ? 0.0 : known};
}
/// log(1 + x), with the sign of x. The rounding of 1 + x is as much again as the kernel's claim allows.
OPREF_INLINE Bounded log1p(const Bounded& x) {
  using namespace bounded;
  const double u = 1 + x.v, v = log_of(u, true, x.v);
  const double e = std::abs(v) * (2 * kLogError) + x.e / u * 1.01 + small(x);
  return {std::copysign(v, x.v), e + unless(u >= 0x1p-40) + unless(u <= 0x1p1000) + unless(x.e <= kSteep * u)};
}

OPREF_INLINE Bounded sin(const Bounded& x) {
  const bounded::Turn t = bounded::turn(std::abs(x.v), x.e);
  const std::uint64_t sign = bounded::bits_of(x.v) & 0x8000000000000000;
  return {bounded::from_bits(bounded::bits_of(t.sin) ^ sign),
          std::abs(t.sin) * bounded::kSinError + t.e + bounded::small(x)};
}
OPREF_INLINE Bounded cos(const Bounded& x) {
  const bounded::Turn t = bounded::turn(x.v, x.e);
  return {t.cos, std::abs(t.cos) * bounded::kSinError + t.e};
}
OPREF_INLINE Bounded tan(const Bounded& x) { return sin(x) / cos(x); }

/// In three parts by |x|: x, π/4 + arctan((x - 1)/(x + 1)), π/2 - arctan(1/x), so that |t| <= √2 - 1; remainder below
/// 2^-62. The claim is 16 units of 2^-53, of which t has 3, the polynomial 2 and the sum 2. Within e <= 2^-10·(1 + |x|)
/// the slope is at most 1.0024 times that at x.
OPREF_INLINE Bounded atan(const Bounded& x) {
  using namespace bounded;
  constexpr double kThird = 2.414213562373095, kFirst = 0.4142135623730951;
  const double a = std::abs(x.v);
  const double over = a > kThird ? -1 : a - 1, under = a > kThird ? a : a + 1;
  const double t = (a > kFirst ? over : a) / (a > kFirst ? under : 1.0), z = t * t;
  const double start = a > kThird ? kPi / 2 : kPi / 4;
  const double v = __builtin_fma(t * z, polynomial(kAtan, z), t) + (a > kFirst ? start : 0.0);
  const double slope = x.e <= kSteep * (1 + a) ? 1.01 / (1 + a * a) : 1.0;
  return {std::copysign(v, x.v), v * kAtanError + x.e * slope + small(x)};
}

/// Beyond 26 it is in (0, tail] or 2 less that. The slope is (2/√π)e^(-z²) <= erfc z·(z + √(z² + 2)) (Abramowitz and
/// Stegun 7.1.13), at most erfc z·(2z + 1.5), and with z less by e at most e^(2ze) <= 1.002 times that.
OPREF_INLINE Bounded erfc(const Bounded& x) {
  using namespace bounded;
  const double a = std::abs(x.v), z = least(a, 26), tail = erfc_of(z), v = x.v < 0 ? 2 - tail : tail;
  const double slope = (x.v < 0 ? 1.0 : tail * (2 * z + 1.5)) * 1.14;
  const double near = v * kErfcError + slope * x.e + unless(x.e * (z + 1) <= kSteep) + unless(a <= 26);
  const double far = tail * 3 + unless(x.e < kSteep * a);
  return {v, a > 26.1 ? far : near};
}
/// Below 1 Taylor's series of 21 terms; remainder below 2^-61. The claim is 16 units of 2^-53, of which at most 6.6 are
/// counted: below 1 the coefficients, z² and Horner's scheme 5.6, the product 1; from 1 on erfc's 32 times 0.157/0.843,
/// and the difference 0.6.
OPREF_INLINE Bounded erf(const Bounded& x) {
  using namespace bounded;
  const double z = std::abs(x.v), near = z * polynomial(kErf, z * z), beyond = 1 - erfc_of(least(z, 26));
  const double v = z < 1 ? near : beyond;
  return {std::copysign(v, x.v), v * kErfError + 1.14 * x.e + small(x) + unless(z <= kInfinity)};
}

// By composition.
OPREF_INLINE Bounded tanh(const Bounded& x) {
  const Bounded t = expm1(-2.0 * abs(x));
  return odd(x, -t / (2.0 + t));
}
OPREF_INLINE Bounded sinh(const Bounded& x) {
  const Bounded t = expm1(abs(x));
  return odd(x, (t + t / (t + 1.0)) * 0.5);
}
OPREF_INLINE Bounded cosh(const Bounded& x) { return (exp(x) + exp(-x)) * 0.5; }
OPREF_INLINE Bounded asinh(const Bounded& x) {
  const Bounded a = abs(x), s = square(a);
  return odd(x, log1p(a + s / (1.0 + sqrt(1.0 + s))));
}
OPREF_INLINE Bounded acosh(const Bounded& x) {
  const Bounded t = x - 1.0;
  return log1p(t + sqrt(t * (t + 2.0)));
}
OPREF_INLINE Bounded atanh(const Bounded& x) {
  const Bounded a = abs(x);
  return odd(x, 0.5 * log1p(2.0 * a / (1.0 - a)));
}
OPREF_INLINE Bounded asin(const Bounded& x) { return atan(x / sqrt((1.0 - x) * (1.0 + x))); }
OPREF_INLINE Bounded acos(const Bounded& x) { return 2.0 * atan(sqrt((1.0 - x) / (1.0 + x))); }
/// Of a negative x the powers with whole y, whose sign is (-1)^y.
OPREF_INLINE Bounded pow(const Bounded& x, const Bounded& y) {
  using namespace bounded;
  const Bounded a = exp(y * log(abs(x)));
  const double rest = std::abs(y.v - ((y.v + kShift) - kShift)), half = y.v * 0.5;
  const double parity = 2 * std::abs(half - ((half + kShift) - kShift));  // 1 of odd y, 0 of even y
  const double blur = unless(rest + y.e == 0) + unless(std::abs(y.v) < 0x1p51);
  return {x.v < 0 ? a.v * (1 - 2 * parity) : a.v, x.v > 0 ? a.e : a.e + blur};
}

}  // namespace opref::exact
