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

#include "core/infinity.h"
#include "exact/real/constants.h"
#include "exact/vector.h"
#include "exact/whole.h"

namespace opref::exact {

/// A number and a bound of its error. Operations give the bound of their result. {Inf, 0} is infinity and nothing else:
/// the error of what no double holds is infinite. {NaN, 0} is NaN: where nothing is known the error is not 0.
struct Bounded {
  double v, e;  ///< the number is in [v - e, v + e]
  OPREF_INLINE Bounded(double exact) : v(exact), e(0) {}
  OPREF_INLINE Bounded(double value, double error) : v(value), e(error) {}
  /// The nearest double, and what it lacks.
  template <std::integral N>
  OPREF_INLINE static Bounded whole(N n) {
    const WholeParts parts = parts_of_whole(n);
    return {parts.nearest, std::abs(parts.rest)};
  }
};

namespace bounded {

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
  // TwoSum; NaN where s is infinite. Then rest is infinite if both operands are finite, and else NaN.
  const double rest = b.v - t, rounding = std::abs((a.v - (s - t)) + rest), beyond = std::abs(rest) > 0 ? kInfinity : 0;
  return {s, a.e + b.e + (rounding <= kInfinity ? rounding : beyond)};
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

/// Whether it is known to be.
OPREF_INLINE bool is_finite(const Bounded& a) { return bounded::size(a) < kInfinity; }
OPREF_INLINE Bounded square(const Bounded& a) { return a * a; }
/// |√x - s| <= |x - s²|/s, and x - s² is a double. Nothing is known of zero.
OPREF_INLINE Bounded sqrt(const Bounded& a) {
  using namespace bounded;
  const double s = __builtin_sqrt(a.v), off = std::abs(__builtin_fma(-s, s, a.v)) + a.e;
  return {s, (off == 0 ? 0.0 : off / s) + unless(a.e <= kSteep * a.v) + unless(a.v >= kSmall)};
}
OPREF_INLINE Bounded abs(const Bounded& a) { return {std::abs(a.v), a.e}; }
/// of_abs, a function of |x| that is not negative, with the sign of x. Where x.e > |x.v|, of_abs has been worked out
/// for negative arguments too: of those it must be the odd function itself, as it is of tanh, sinh, asinh and atanh.
OPREF_INLINE Bounded odd(const Bounded& x, const Bounded& of_abs) { return {std::copysign(of_abs.v, x.v), of_abs.e}; }
/// The error of one of them where it is known which: else max(0, -1e30 ± 3) would be 0 ± 3. Of two zeros +0.
OPREF_INLINE Bounded max(const Bounded& a, const Bounded& b) {
  using namespace bounded;
  const double d = a.v - b.v, known = std::abs(d) - (a.e + b.e) * 1.01;
  const double own = d > 0 ? a.e : b.e, either = most(a.e, b.e), tie = a.v + b.v;
  const double v = d > 0 ? a.v : b.v;
  return {d == 0 ? tie * 0.5 : v,
          (known > 0 ? own : either) + unless(std::abs(d) <= kInfinity) + unless(a.e + b.e >= 0)};
}
OPREF_INLINE Bounded min(const Bounded& a, const Bounded& b) { return -max(-a, -b); }
OPREF_INLINE Bounded pi(const Bounded&) { return {kPi, kPiError}; }

/// a < b as far as it is known; `blur` is infinite where it is not. NaN is less than nothing, and nothing than it.
struct BoundedLess {
  bool holds;
  double blur;
};
OPREF_INLINE BoundedLess operator<(const Bounded& a, const Bounded& b) {
  using namespace bounded;
  const double d = a.v - b.v, e = a.e + b.e;
  return {d < 0, unless((e == 0 ? 1.0 : std::abs(d) - e * 1.01) > 0) + unless(std::abs(d) <= kInfinity)};
}
/// The page's "f if condition else g": both are evaluated.
template <class F, class G>
OPREF_INLINE Bounded choose(BoundedLess condition, const F& f, const G& g) {
  const Bounded a = f(), b = g();
  return {condition.holds ? a.v : b.v, (condition.holds ? a.e : b.e) + condition.blur};
}

}  // namespace opref::exact
