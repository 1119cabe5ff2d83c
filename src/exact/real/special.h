// SPDX-License-Identifier: Apache-2.0
// What NaN, infinities and zeros make of a real formula, without arithmetic: a number is known exactly, or it is
// positive, finite, or anything. By IEEE 754's rules, over the extended reals: nothing overflows or underflows.
#pragma once

#include <cmath>
#include <concepts>
#include <limits>

#include "exact/whole.h"

namespace opref::exact {

struct Special {
  enum class Kind : std::uint8_t { known, positive, finite, anything };
  double v;  ///< where it is known
  Kind kind = Kind::known;

  Special(double known) : v(known) {}
  Special(Kind what) : v(0), kind(what) {}
  template <std::integral N>
  static Special whole(N n) {
    const WholeParts parts = parts_of_whole(n);
    return parts.rest == 0 ? Special(parts.nearest) : Special(parts.nearest > 0 ? Kind::positive : Kind::finite);
  }
  bool is_known() const { return kind == Kind::known; }
  bool is(double x) const { return is_known() && v == x; }
  bool is_nan() const { return is_known() && std::isnan(v); }
  bool is_infinite() const { return is_known() && std::isinf(v); }
  /// A number, and one above zero.
  bool is_finite() const { return is_known() ? std::isfinite(v) : kind != Kind::anything; }
  bool is_positive() const { return is_known() ? v > 0 && std::isfinite(v) : kind == Kind::positive; }
  bool is_zero() const { return is_known() && v == 0; }
};
inline bool is_finite(const Special& a) { return a.is_finite(); }

namespace special {

using Kind = Special::Kind;
/// y, the rounded result of finite numbers, if it is exact; else what is known of its sign.
inline Special exactly(double y, bool is_exact, bool is_positive) {
  if (is_exact && std::isfinite(y)) return y;
  return is_positive ? Kind::positive : Kind::finite;
}
inline Special nan() { return std::numeric_limits<double>::quiet_NaN(); }

}  // namespace special

inline Special operator-(const Special& a) {
  if (a.is_known()) return -a.v;
  return a.is_finite() ? special::Kind::finite : special::Kind::anything;
}
inline Special operator+(const Special& a, const Special& b) {
  if (a.is_nan() || b.is_nan()) return special::nan();
  if (a.kind == special::Kind::anything || b.kind == special::Kind::anything) return special::Kind::anything;
  if (a.is_infinite() || b.is_infinite()) return (a.is_infinite() ? a.v : 0.0) + (b.is_infinite() ? b.v : 0.0);
  const bool is_positive = (a.is_positive() && (b.is_positive() || b.is_zero())) || (a.is_zero() && b.is_positive());
  if (!a.is_known() || !b.is_known()) return is_positive ? special::Kind::positive : special::Kind::finite;
  const double s = a.v + b.v, t = s - a.v;
  return special::exactly(s, (a.v - (s - t)) + (b.v - t) == 0, s > 0);
}
inline Special operator-(const Special& a, const Special& b) { return a + -b; }
inline Special operator*(const Special& a, const Special& b) {
  if (a.is_nan() || b.is_nan()) return special::nan();
  if (a.is_known() && b.is_known()) {
    const double p = a.v * b.v;
    if (a.is_zero() || b.is_zero() || a.is_infinite() || b.is_infinite()) return p;
    return special::exactly(p, std::fma(a.v, b.v, -p) == 0 && std::abs(p) >= 0x1p-900, (a.v > 0) == (b.v > 0));
  }
  const Special &other = a.is_known() ? b : a, &known = a.is_known() ? a : b;
  if (other.is_positive() && (known.is_zero() || known.is_infinite())) return known.v;
  if (!a.is_finite() || !b.is_finite()) return special::Kind::anything;
  return a.is_positive() && b.is_positive() ? special::Kind::positive : special::Kind::finite;
}
inline Special operator/(const Special& a, const Special& b) {
  if (a.is_nan() || b.is_nan()) return special::nan();
  if (a.is_known() && b.is_known()) {
    const double q = a.v / b.v;
    if (a.is_zero() || b.is_zero() || a.is_infinite() || b.is_infinite()) return q;
    const bool is_exact = std::fma(-q, b.v, a.v) == 0 && std::abs(q) >= 0x1p-900 && std::abs(a.v) >= 0x1p-900;
    return special::exactly(q, is_exact, (a.v > 0) == (b.v > 0));
  }
  if (a.is_positive() && (b.is_infinite() || b.is_zero())) return b.is_infinite() ? std::copysign(0.0, b.v) : 1 / b.v;
  if (b.is_positive() && (a.is_infinite() || a.is_zero())) return a.v;
  const bool is_quotient = b.is_positive() || (b.is_known() && !b.is_zero());
  if (!a.is_finite() || !is_quotient) return special::Kind::anything;
  return a.is_positive() && b.is_positive() ? special::Kind::positive : special::Kind::finite;
}
inline Special abs(const Special& a) { return a.is_known() ? Special(std::abs(a.v)) : a; }
inline Special square(const Special& a) {
  const Special y = a * a;
  return a.is_known() && !y.is_known() ? special::Kind::positive : y;
}
inline Special sqrt(const Special& a) {
  if (!a.is_known()) return a.is_positive() ? a : special::Kind::anything;
  const double s = std::sqrt(a.v);
  return a.v > 0 && std::isfinite(a.v) ? special::exactly(s, std::fma(-s, s, a.v) == 0 && a.v >= 0x1p-900, true) : s;
}
inline Special exp(const Special& a) {
  if (a.is_zero()) return 1;
  if (a.is_nan() || a.is_infinite()) return a.v < 0 ? 0 : a.v;
  return a.is_finite() ? special::Kind::positive : special::Kind::anything;
}
inline Special log(const Special& a) {
  if (!a.is_known()) return a.is_positive() ? special::Kind::finite : special::Kind::anything;
  if (a.v == 0) return -std::numeric_limits<double>::infinity();
  if (a.v == 1) return 0;
  if (a.v > 0 && std::isfinite(a.v)) return special::Kind::finite;
  return a.v > 0 ? a : special::nan();
}
inline Special log1p(const Special& a) {
  if (!a.is_known()) return a.is_positive() ? a : special::Kind::anything;
  if (a.v == -1) return -std::numeric_limits<double>::infinity();
  if (a.v == 0 || a.is_nan() || a.v < -1 || a.is_infinite()) return a.v < -1 ? special::nan() : a;
  return a.v > 0 ? special::Kind::positive : special::Kind::finite;
}

inline Special pow(const Special& a, const Special& b) {
  return a.is_nan() && b.is_known() && b.v != 0 ? special::nan() : Special(special::Kind::anything);
}

enum class SpecialLess : std::uint8_t { no, yes, unknown };
/// NaN is less than nothing, and nothing than it.
inline SpecialLess operator<(const Special& a, const Special& b) {
  if (!a.is_known() || !b.is_known()) return SpecialLess::unknown;
  return a.v < b.v ? SpecialLess::yes : SpecialLess::no;
}
template <class F, class G>
Special choose(SpecialLess condition, const F& f, const G& g) {
  if (condition != SpecialLess::unknown) return condition == SpecialLess::yes ? Special(f()) : Special(g());
  const Special a = f(), b = g();
  return a.is_finite() && b.is_finite() ? special::Kind::finite : special::Kind::anything;
}

}  // namespace opref::exact
