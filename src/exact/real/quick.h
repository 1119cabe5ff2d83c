// SPDX-License-Identifier: Apache-2.0
// A real number as a plain double: the quick tier of real formulas. It carries nothing that says how wrong it is; that
// is the same for all arguments and known before any of them: `StaticBound`, evaluated through the same formula.
//
// What holds of every Quick v of a number f of the extended reals (rel, abs and limit are those of its StaticBound):
//   |v - f| <= rel·|f| + abs, or |v| and |f| are at least `limit` and have one sign, or v is NaN or infinite: then
//   nothing is known.
// A formula whose bound is finite gives v the sign of f, also of zeros and of what underflows: its sums add numbers of
// one sign, or exact ones.
//
// The bounds hold with and without contraction, anywhere. No branches, and no logic on bools (bounded.h). The kernels'
// relative errors (kQuick…Error) are the truncation bounds that scripts/lab/quick-constants proves, and roundings.
#pragma once

#include "exact/real/bounded_functions.h"
#include "exact/real/quick_constants.h"

namespace opref::exact {

/// Of inputs of float32 and narrower types.
struct Quick {
  double v;
  OPREF_INLINE Quick(double value) : v(value) {}
  /// A scalar of a slice: whoever bounds the slice knows its error.
  OPREF_INLINE Quick(const Bounded& scalar) : v(scalar.v) {}
  /// The nearest double: StaticBound knows what it lacks.
  template <std::integral N>
  OPREF_INLINE static Quick whole(N n) {
    return static_cast<double>(n);
  }
};

namespace quick {

inline constexpr double kNaN = __builtin_nan("");
/// More than is counted, so that a test can tell a wrong claim from a right one.
inline constexpr double kSpare = 1.75;
inline constexpr double kClamp = 350;  ///< e^-350 is zero to every narrow type, e^350 infinite

/// Even and odd powers apart: half the latency.
template <std::size_t N>
OPREF_INLINE double polynomial(const double (&c)[N], double x) {
  constexpr int kEven = (N - 1) / 2 * 2, kOdd = (N - 2) / 2 * 2 + 1;
  const double z = x * x;
  double even = c[kEven], odd = c[kOdd];
#pragma GCC unroll 32
  for (int i = kEven - 2; i >= 0; i -= 2) even = __builtin_fma(even, z, c[i]);
#pragma GCC unroll 32
  for (int i = kOdd - 2; i >= 0; i -= 2) odd = __builtin_fma(odd, z, c[i]);
  return __builtin_fma(odd, x, even);
}

/// e^x = 2^k·(1 + r·h), x clamped to ±350; the last bits of `shifted` are k. k·kLn2Hi is exact (9 and 42 bits), and so
/// is what is left of x; r is wrong by 2^-54 and 505·2^-97, h and the sum by 8 roundings.
struct Power {
  double r, h;
  std::uint64_t shifted;
};
OPREF_INLINE Power power_of_e(double x) {
  const double above = -kClamp > x ? -kClamp : x, c = kClamp < above ? kClamp : above;  // NaN where x is
  const double shifted = __builtin_fma(c, kLog2E, bounded::kShift), k = shifted - bounded::kShift;
  const double r = __builtin_fma(-k, kLn2Lo, __builtin_fma(-k, kLn2Hi, c));
  return {r, polynomial(kQuickExp, r), bounded::bits_of(shifted)};
}
inline constexpr double kExpError = kSpare * (0.3466 * 1.19 / 0.707 * kQuickExpCut + 0x1p-50);
/// k = 0: that of h, and roundings. Otherwise the result is at least 0.29 in size, and 2^k at most 3.5 times it.
inline constexpr double kExpm1Error = kSpare * (1.1 * kQuickExpCut + 0x1p-49);

/// log of u = 2^k·m, √½ <= m < √2; where k = 0, m - 1 is `less_one` for log1p. u is positive and normal; NaN of
/// infinity and NaN. Of s 3 roundings (6 of log1p), of the polynomial 5; where k is not 0 the result is at least
/// 0.34·|k|, and k·ln 2 is wrong by |k|·2^-53.
OPREF_INLINE double log_of(double u, bool is_log1p, double less_one) {
  constexpr std::uint64_t kRootHalf = 0x3fe6a09e667f3bcd, kField = 0xfff0000000000000, kBias = 2048;
  const std::uint64_t offset = bounded::bits_of(u) - kRootHalf + (kBias << 52);
  const double k = bounded::from_bits(0x4330000000000000 | offset >> 52) - (0x1p52 + kBias);
  const double m = bounded::from_bits((offset & ~kField) + kRootHalf);
  const double near = k == 0 ? less_one : m - 1, numerator = is_log1p ? near : m - 1;
  const double s = numerator / (2 + numerator);
  return __builtin_fma(k, kQuickLn2, s * polynomial(kQuickLog, s * s)) + u * 0.0;
}
inline constexpr double kLogError = kSpare * (kQuickLogCut + 0x1p-48);

/// sin of x - half·π for x of at most 24 bits: r = x - k·π, k whole or, where half is 1/2, half an odd number. k·A and
/// k·B are exact, and so is x - k·A where |x| >= 2^-7 (below, k = 0 or |r| > 1.5); what then is subtracted is rounded
/// once. No such x but 0 is nearer to a multiple of π/2 than 2^-40 (the test looks at all of them).
OPREF_INLINE double sin_of(double x, double half) {
  const double shifted = __builtin_fma(x, kQuickOverPi, half) + bounded::kShift, k = shifted - bounded::kShift - half;
  const double r = __builtin_fma(-k, kQuickPiC, __builtin_fma(-k, kQuickPiB, __builtin_fma(-k, kQuickPiA, x)));
  const double size = r * polynomial(kQuickSin, r * r);
  const double y = bounded::from_bits(bounded::bits_of(size) ^ bounded::bits_of(shifted) << 63);
  return std::abs(x) <= 0x1p20 ? y : kNaN;
}
inline constexpr double kSinError = kSpare * (kQuickSinCut + 0x1p-49);

/// Of arctan t and the polynomial 8 roundings; what is added to it is no smaller than it is.
inline constexpr double kAtanError = kSpare * (kQuickAtanCut + 0x1p-49);

/// erfc z = e^(-z²)·w·P(t), w = 1/(z + K), t = 1 - 2K·w, 0 <= z <= 18.7. z² is wrong by 350·2^-53, the rest by 16
/// roundings.
inline constexpr double kErfcMost = 18.7;
OPREF_INLINE double erfc_of(double z) {
  const double w = 1 / (z + kQuickErfcK);
  const Power power = power_of_e(-(z * z));
  const double e = bounded::from_bits(bounded::bits_of(__builtin_fma(power.h, power.r, 1)) + (power.shifted << 52));
  return e * (w * polynomial(kQuickErfc, __builtin_fma(-2 * kQuickErfcK, w, 1)));
}
inline constexpr double kErfcError = kSpare * (kQuickErfcCut + kExpError + 0x1.5ep-45 + 0x1p-49);
/// From 1/2 on erfc < 0.93·erf.
inline constexpr double kErfError = kErfcError;
static_assert(kQuickErfCut + 0x1p-49 < kErfError);

}  // namespace quick

OPREF_INLINE Quick operator-(const Quick& a) { return -a.v; }
OPREF_INLINE Quick operator+(const Quick& a, const Quick& b) { return a.v + b.v; }
OPREF_INLINE Quick operator-(const Quick& a, const Quick& b) { return a.v - b.v; }
OPREF_INLINE Quick operator*(const Quick& a, const Quick& b) { return a.v * b.v; }
OPREF_INLINE Quick operator/(const Quick& a, const Quick& b) { return a.v / b.v; }
/// By the reciprocal, worked out once a slice.
OPREF_INLINE Quick operator/(const Quick& a, const Bounded& scalar) { return a.v * (1 / scalar.v); }
OPREF_INLINE Quick sqrt(const Quick& a) { return __builtin_sqrt(a.v); }
OPREF_INLINE Quick abs(const Quick& a) { return std::abs(a.v); }
OPREF_INLINE Quick square(const Quick& a) { return a.v * a.v; }
/// NaN where one is; of two zeros +0.
OPREF_INLINE Quick max(const Quick& a, const Quick& b) {
  const double most = a.v > b.v ? a.v : b.v, one = a.v == b.v ? (a.v + b.v) * 0.5 : most;
  return a.v != a.v ? a.v : one;
}
OPREF_INLINE Quick min(const Quick& a, const Quick& b) { return -max(-a, -b); }
OPREF_INLINE Quick pi(const Quick&) { return kPi; }
struct QuickLess {
  bool holds;
};
OPREF_INLINE QuickLess operator<(const Quick& a, const Quick& b) { return {a.v < b.v}; }
/// The page's "f if condition else g": both are evaluated.
template <class F, class G>
OPREF_INLINE Quick choose(QuickLess condition, const F& f, const G& g) {
  const Quick a = f(), b = g();
  return condition.holds ? a.v : b.v;
}
/// NaN below zero, and above `most`.
OPREF_INLINE Quick nonnegative(const Quick& a) { return a.v >= 0 ? a.v : quick::kNaN; }
OPREF_INLINE Quick at_most(const Quick& a, double most) { return a.v <= most ? a.v : quick::kNaN; }
/// of_abs, a function of |x| that is not negative, with the sign of x.
OPREF_INLINE Quick odd(const Quick& x, const Quick& of_abs) { return std::copysign(of_abs.v, x.v); }

OPREF_INLINE Quick exp(const Quick& x) {
  const quick::Power power = quick::power_of_e(x.v);
  const double near_one = __builtin_fma(power.h, power.r, 1);  // k is added to its exponent
  return bounded::from_bits(bounded::bits_of(near_one) + (power.shifted << 52));
}
OPREF_INLINE Quick expm1(const Quick& x) {
  const quick::Power power = quick::power_of_e(x.v);
  const double scale = bounded::from_bits((power.shifted + 1023) << 52);
  return __builtin_fma(scale, power.h * power.r, -(1 - scale));  // -0 of -0
}
OPREF_INLINE Quick log(const Quick& x) {
  const double v = quick::log_of(x.v, false, 0);
  return x.v >= 0x1p-1000 ? v : quick::kNaN;
}
OPREF_INLINE Quick log1p(const Quick& x) {
  const double u = 1 + x.v, v = std::copysign(quick::log_of(u, true, x.v), x.v);
  return u >= 0x1p-60 ? v : quick::kNaN;
}
OPREF_INLINE Quick sin(const Quick& x) { return quick::sin_of(x.v, 0); }
OPREF_INLINE Quick cos(const Quick& x) { return quick::sin_of(x.v, 0.5); }
/// In three parts by |x|, as of Bounded.
OPREF_INLINE Quick atan(const Quick& x) {
  constexpr double kThird = 2.414213562373095, kFirst = 0.4142135623730951;
  const double a = std::abs(x.v);
  const double over = a > kThird ? -1 : a - 1, under = a > kThird ? a : a + 1;
  const double t = (a > kFirst ? over : a) / (a > kFirst ? under : 1.0);
  const double most = a > kThird ? kPi / 2 : kPi / 4, start = a > kFirst ? most : 0.0;
  return std::copysign(__builtin_fma(t, quick::polynomial(kQuickAtan, t * t), start), x.v);
}
OPREF_INLINE Quick erfc(const Quick& x) {
  const double a = std::abs(x.v), tail = quick::erfc_of(quick::kErfcMost < a ? quick::kErfcMost : a);
  return x.v < 0 ? 2 - tail : tail;
}
OPREF_INLINE Quick erf(const Quick& x) {
  const double a = std::abs(x.v), z = quick::kErfcMost < a ? quick::kErfcMost : a;
  const double near = z * quick::polynomial(kQuickErf, z * z), beyond = 1 - quick::erfc_of(z);
  return std::copysign(z < 0.5 ? near : beyond, x.v);
}
/// Of a negative x the powers with whole y, whose sign is (-1)^y; NaN of zero.
OPREF_INLINE Quick pow(const Quick& x, const Quick& y) {
  const double a = exp(y * log(abs(x))).v, half = y.v * 0.5;
  const double rest = std::abs(y.v - ((y.v + bounded::kShift) - bounded::kShift));
  const double parity = 2 * std::abs(half - ((half + bounded::kShift) - bounded::kShift));  // 1 of odd y, 0 of even y
  const double whole = rest == 0 ? a * (1 - 2 * parity) : quick::kNaN,
               known = std::abs(y.v) < 0x1p50 ? whole : quick::kNaN;
  return x.v < 0 ? known : a;
}

}  // namespace opref::exact
