// SPDX-License-Identifier: Apache-2.0
// Numbers without tiers, for formulas that are one operation: of IEEE 754, whose double result rounded once more is
// right for narrower types, or of integers. They have the operations that Bounded and Ball have, as far as these make
// sense, so that a formula is written once.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>

#include "exact/vector.h"

namespace opref::exact {

struct Less {
  bool holds;
};

/// A double.
struct Ieee {
  double v;
  OPREF_INLINE Ieee(double value) : v(value) {}
};
OPREF_INLINE Ieee operator-(const Ieee& a) { return -a.v; }
OPREF_INLINE Ieee operator+(const Ieee& a, const Ieee& b) { return a.v + b.v; }
OPREF_INLINE Ieee operator-(const Ieee& a, const Ieee& b) { return a.v - b.v; }
OPREF_INLINE Ieee operator*(const Ieee& a, const Ieee& b) { return a.v * b.v; }
OPREF_INLINE Ieee operator/(const Ieee& a, const Ieee& b) { return a.v / b.v; }
OPREF_INLINE Ieee abs(const Ieee& a) { return std::abs(a.v); }
OPREF_INLINE Ieee sqrt(const Ieee& a) { return __builtin_sqrt(a.v); }
OPREF_INLINE Ieee floor(const Ieee& a) { return __builtin_floor(a.v); }
OPREF_INLINE Ieee ceil(const Ieee& a) { return __builtin_ceil(a.v); }
/// To the nearest integer, halves to the even one; with the sign of a.
OPREF_INLINE Ieee round(const Ieee& a) {
  const double size = std::abs(a.v), rounded = (size + 0x1p52) - 0x1p52;
  return std::copysign(size < 0x1p52 ? rounded : size, a.v);
}
OPREF_INLINE Less operator<(const Ieee& a, const Ieee& b) { return {a.v < b.v}; }
OPREF_INLINE Ieee select(bool first, const Ieee& a, const Ieee& b) { return first ? a.v : b.v; }
/// NaN where one is; of two zeros +0.
OPREF_INLINE Ieee max(const Ieee& a, const Ieee& b) {
  const double other = b.v == a.v ? a.v + b.v : b.v, equal = b.v == 0 ? other : b.v;  // +0 of +0 and -0
  const double most = a.v > b.v ? a.v : equal;
  return a.v != a.v ? a.v : most;
}
OPREF_INLINE Ieee min(const Ieee& a, const Ieee& b) { return -max(-a, -b); }

/// An integer modulo 2^64, whose low bits are those of every integer type; compared as what `Number` says.
template <class Number>
struct Wrapped {
  std::uint64_t bits;
  OPREF_INLINE Wrapped(double whole) : bits(static_cast<std::uint64_t>(static_cast<std::int64_t>(whole))) {}
  OPREF_INLINE static Wrapped of(std::uint64_t bits) {
    Wrapped y(0.0);
    y.bits = bits;
    return y;
  }
  OPREF_INLINE Number value() const { return static_cast<Number>(bits); }
};
using Signed = Wrapped<std::int64_t>;
using Unsigned = Wrapped<std::uint64_t>;
template <class N>
OPREF_INLINE Wrapped<N> operator-(const Wrapped<N>& a) {
  return Wrapped<N>::of(0 - a.bits);
}
template <class N>
OPREF_INLINE Wrapped<N> operator+(const Wrapped<N>& a, const Wrapped<N>& b) {
  return Wrapped<N>::of(a.bits + b.bits);
}
template <class N>
OPREF_INLINE Wrapped<N> operator-(const Wrapped<N>& a, const Wrapped<N>& b) {
  return Wrapped<N>::of(a.bits - b.bits);
}
template <class N>
OPREF_INLINE Wrapped<N> operator*(const Wrapped<N>& a, const Wrapped<N>& b) {
  return Wrapped<N>::of(a.bits * b.bits);
}
template <class N>
OPREF_INLINE Less operator<(const Wrapped<N>& a, const Wrapped<N>& b) {
  return {a.value() < b.value()};
}
template <class N>
OPREF_INLINE Wrapped<N> select(bool first, const Wrapped<N>& a, const Wrapped<N>& b) {
  return Wrapped<N>::of(first ? a.bits : b.bits);
}
template <class N>
OPREF_INLINE Wrapped<N> max(const Wrapped<N>& a, const Wrapped<N>& b) {
  return select(a.value() < b.value(), b, a);
}
template <class N>
OPREF_INLINE Wrapped<N> min(const Wrapped<N>& a, const Wrapped<N>& b) {
  return select(a.value() < b.value(), a, b);
}
template <class N>
OPREF_INLINE Wrapped<N> abs(const Wrapped<N>& a) {
  return select(a.value() < 0, -a, a);
}

/// The page's "f if condition else g".
template <class F, class G>
OPREF_INLINE auto choose(Less condition, const F& f, const G& g) {
  return select(condition.holds, f(), g());
}

}  // namespace opref::exact
