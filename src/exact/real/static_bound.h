// SPDX-License-Identifier: Apache-2.0
// How wrong Quick is, for all arguments at once: evaluated through the same formula. quick.h says what rel, abs and
// limit claim.
//
// An addition rounds relatively (2^-53, also where the result is subnormal), a product and a quotient too where they do
// not underflow; a product of numbers of 53 bits together is exact. Sums of numbers of one sign keep relative errors;
// of exact numbers they have none but their own rounding; all others have an absolute error, unless they stay away from
// zero. For all float32 arguments that is too much: the formula has no quick tier. Within a slice, whose greatest
// element and whose sums are known, it is not.
#pragma once

#include <concepts>
#include <limits>

#include "exact/real/quick.h"

namespace opref::exact {

struct StaticBound {
  double lo, hi;  ///< f is between them (of inputs: where finite)
  double least;   ///< |v| >= least where v is not 0
  double rel = 0, abs = 0, limit = kInfinity;
  int bits = 64;            ///< of an exact number's significand, at most
  bool is_input = false;    ///< one of the inputs or its negative
  bool is_product = false;  ///< of exact numbers, without underflow: v is 0, negative or NaN where f is

  StaticBound(double exact);
  StaticBound(double from, double to, double smallest, double relative = 0, double absolute = 0,
              double most = kInfinity)
      : lo(from), hi(to), least(smallest), rel(relative), abs(absolute), limit(most) {}
  /// A scalar of a slice, known when this is evaluated.
  StaticBound(const Bounded& scalar);
  /// A whole number, which Quick rounds to a double.
  template <std::integral N>
  static StaticBound whole(N n) {
    return of_whole(Bounded::whole(n));
  }
  /// Any number of float32 or a narrower type.
  static StaticBound any_input();
  static StaticBound unknown();

 private:
  static StaticBound of_whole(const Bounded& n);
};

StaticBound operator-(const StaticBound& a);
StaticBound operator+(const StaticBound& a, const StaticBound& b);
inline StaticBound operator-(const StaticBound& a, const StaticBound& b) { return a + -b; }
StaticBound operator*(const StaticBound& a, const StaticBound& b);
StaticBound operator/(const StaticBound& a, const StaticBound& b);
StaticBound operator/(const StaticBound& a, const Bounded& scalar);
StaticBound sqrt(const StaticBound& a);
StaticBound abs(const StaticBound& a);
StaticBound square(const StaticBound& a);
StaticBound max(const StaticBound& a, const StaticBound& b);
StaticBound min(const StaticBound& a, const StaticBound& b);
StaticBound pi(const StaticBound&);
/// Of one or the other.
StaticBound join(const StaticBound& a, const StaticBound& b);
/// Known of exact numbers, and of their products compared with 0.
struct StaticLess {
  bool is_known;
};
StaticLess operator<(const StaticBound& a, const StaticBound& b);
template <class F, class G>
StaticBound choose(StaticLess condition, const F& f, const G& g) {
  return condition.is_known ? join(f(), g()) : StaticBound::unknown();
}
StaticBound nonnegative(const StaticBound& a);
StaticBound at_most(const StaticBound& a, double most);
StaticBound odd(const StaticBound& x, const StaticBound& of_abs);
StaticBound exp(const StaticBound& x);
StaticBound expm1(const StaticBound& x);
StaticBound log(const StaticBound& x);
StaticBound log1p(const StaticBound& x);
StaticBound sin(const StaticBound& x);
StaticBound cos(const StaticBound& x);
StaticBound atan(const StaticBound& x);
StaticBound erf(const StaticBound& x);
StaticBound erfc(const StaticBound& x);
StaticBound pow(const StaticBound& x, const StaticBound& y);

/// What Quick's v, worked out for this bound, is wrong by at most: |v - f| <= quick_scale·|v|, or f rounds to what v
/// rounds to in float32 and every narrower type. Infinite where that is of no use: there is no quick tier.
double quick_scale(const StaticBound& y);

// By composition, of both.
template <class R>
concept QuickTier = std::same_as<R, Quick> || std::same_as<R, StaticBound>;
template <QuickTier R>
OPREF_INLINE R tanh(const R& x) {
  const R t = expm1(R(-2.0) * abs(x));
  return odd(x, t / (R(2.0) + t));
}
template <QuickTier R>
OPREF_INLINE R cosh(const R& x) {
  return (exp(x) + exp(-x)) * R(0.5);
}
template <QuickTier R>
OPREF_INLINE R sinh(const R& x) {
  const R t = expm1(at_most(abs(x), quick::kClamp - 1));
  return odd(x, (t + t / (t + R(1.0))) * R(0.5));
}
template <QuickTier R>
OPREF_INLINE R tan(const R& x) {
  return sin(x) / cos(x);
}
template <QuickTier R>
OPREF_INLINE R asinh(const R& x) {
  const R a = abs(x), s = square(a);
  return odd(x, log1p(a + s / (R(1.0) + sqrt(R(1.0) + s))));
}
template <QuickTier R>
OPREF_INLINE R acosh(const R& x) {
  const R t = nonnegative(x - R(1.0));
  return log1p(t + sqrt(t * (t + R(2.0))));
}
template <QuickTier R>
OPREF_INLINE R atanh(const R& x) {
  const R a = abs(x);
  return odd(x, R(0.5) * log1p(R(2.0) * a / nonnegative(R(1.0) - a)));
}
template <QuickTier R>
OPREF_INLINE R asin(const R& x) {
  return atan(x / sqrt(nonnegative(R(1.0) - x) * nonnegative(R(1.0) + x)));
}
template <QuickTier R>
OPREF_INLINE R acos(const R& x) {
  return R(2.0) * atan(sqrt(nonnegative(R(1.0) - x) / nonnegative(R(1.0) + x)));
}

}  // namespace opref::exact
