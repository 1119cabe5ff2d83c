// SPDX-License-Identifier: Apache-2.0
// Numbers without tiers, for formulas that are one operation: of IEEE 754, whose result in a wide enough type, rounded
// once more, is right for narrower ones, or of integers. They have the operations that Bounded and Interval have, as
// far as these make sense, so that a formula is written once.
#pragma once

#include <bit>
#include <cmath>
#include <concepts>
#include <cstdint>
#include <limits>
#include <optional>
#include <type_traits>

#include "exact/rounding.h"
#include "exact/vector.h"

namespace opref::exact {

/// Whether a condition holds: what a formula of a bool result gives, and what `choose` takes.
struct Truth {
  bool holds;
};
OPREF_INLINE Truth operator!(Truth a) { return {!a.holds}; }
OPREF_INLINE Truth operator&(Truth a, Truth b) { return {(a.holds & b.holds) != 0}; }
OPREF_INLINE Truth operator|(Truth a, Truth b) { return {(a.holds | b.holds) != 0}; }

/// A number of a type of IEEE 754, whose operations round to that type. It has no `whole`: what an integer lacks there
/// would be lost.
template <class T>
struct Native {
  T v;
  template <class V>
    requires std::is_arithmetic_v<V>
  OPREF_INLINE Native(V value) : v(static_cast<T>(value)) {}
};
using Ieee = Native<double>;

template <class T>
OPREF_INLINE Native<T> operator-(const Native<T>& a) {
  return -a.v;
}
template <class T>
OPREF_INLINE Native<T> operator+(const Native<T>& a, const Native<T>& b) {
  return a.v + b.v;
}
template <class T>
OPREF_INLINE Native<T> operator-(const Native<T>& a, const Native<T>& b) {
  return a.v - b.v;
}
template <class T>
OPREF_INLINE Native<T> operator*(const Native<T>& a, const Native<T>& b) {
  return a.v * b.v;
}
template <class T>
OPREF_INLINE Native<T> operator/(const Native<T>& a, const Native<T>& b) {
  return a.v / b.v;
}
template <class T>
OPREF_INLINE Native<T> abs(const Native<T>& a) {
  return std::abs(a.v);
}
template <class T>
OPREF_INLINE Native<T> sqrt(const Native<T>& a) {
  return std::sqrt(a.v);
}
template <class T>
OPREF_INLINE Native<T> floor(const Native<T>& a) {
  return std::floor(a.v);
}
template <class T>
OPREF_INLINE Native<T> ceil(const Native<T>& a) {
  return std::ceil(a.v);
}
/// To the nearest integer, halves to the even one; with the sign of a.
template <class T>
OPREF_INLINE Native<T> round(const Native<T>& a) {
  constexpr T kWhole = 1 / std::numeric_limits<T>::epsilon();  // from here on all numbers are
  const T size = std::abs(a.v), rounded = (size + kWhole) - kWhole;
  return std::copysign(size < kWhole ? rounded : size, a.v);
}
/// a - n·b with n = trunc(a/b), with the sign of a: exact.
template <class T>
OPREF_INLINE Native<T> fmod(const Native<T>& a, const Native<T>& b) {
  return std::fmod(a.v, b.v);
}
/// The same with n = floor(a/b): with the sign of b, the sum of two numbers of the type.
template <class T>
OPREF_INLINE Native<T> floor_mod(const Native<T>& a, const Native<T>& b) {
  const T rest = std::fmod(a.v, b.v), other = rest < 0 ? -1 : 1;
  return rest == 0 ? std::copysign(T{0}, b.v) : other * b.v < 0 ? rest + b.v : rest;
}
template <class T>
OPREF_INLINE Truth operator<(const Native<T>& a, const Native<T>& b) {
  return {a.v < b.v};
}
template <class T>
OPREF_INLINE Truth operator==(const Native<T>& a, const Native<T>& b) {
  return {a.v == b.v};
}
template <class T>
OPREF_INLINE Truth operator<=(const Native<T>& a, const Native<T>& b) {
  return {a.v <= b.v};
}
template <class T>
OPREF_INLINE Truth is_nan(const Native<T>& a) {
  return {a.v != a.v};
}
template <class T>
OPREF_INLINE Native<T> select(bool first, const Native<T>& a, const Native<T>& b) {
  return first ? a.v : b.v;
}
/// NaN where one is; of two zeros +0.
template <class T>
OPREF_INLINE Native<T> max(const Native<T>& a, const Native<T>& b) {
  const T other = b.v == a.v ? a.v + b.v : b.v, equal = b.v == 0 ? other : b.v;  // +0 of +0 and -0
  const T most = a.v > b.v ? a.v : equal;
  return a.v != a.v ? a.v : most;
}
template <class T>
OPREF_INLINE Native<T> min(const Native<T>& a, const Native<T>& b) {
  return -max(-a, -b);
}

/// a/b without its last place, which is odd where something is lost: rounded to 51 bits or fewer it gives what a/b
/// gives.
OPREF_INLINE Ieee quotient_to_odd(const Ieee& a, const Ieee& b) {
  const double q = a.v / b.v, rest = __builtin_fma(-q, b.v, a.v);
  if (!(std::abs(q) < std::numeric_limits<double>::infinity()) || rest == 0 || rest != rest ||
      (std::bit_cast<std::uint64_t>(q) & 1) != 0)
    return q;
  const bool beyond = (rest > 0) == (b.v > 0);  // a/b > q
  return std::nextafter(q, beyond ? HUGE_VAL : -HUGE_VAL);
}
/// Likewise the product and the sum.
OPREF_INLINE Ieee product_to_odd(const Ieee& a, const Ieee& b) {
  const double p = a.v * b.v, lost = __builtin_fma(a.v, b.v, -p);
  if (!(std::abs(p) < HUGE_VAL) || lost == 0 || (std::bit_cast<std::uint64_t>(p) & 1) != 0) return p;
  return std::nextafter(p, lost > 0 ? HUGE_VAL : -HUGE_VAL);
}
OPREF_INLINE Ieee sum_to_odd(const Ieee& a, const Ieee& b) { return add_to_odd(a.v, b.v); }
/// The nearest number of a floating type, if one is given: a rounding step that the page prescribes, not the result's.
inline Ieee rounded_to(const Ieee& x, std::optional<DType> dtype) {
  if (!dtype || !std::isfinite(x.v)) return x;
  if (dtype == DType::float32) return static_cast<double>(static_cast<float>(x.v));
  const Scaled parts = scaled(x.v);
  const std::uint64_t bits = encode_bits(*dtype, parts.negative, parts.significand, parts.exponent);
  return floating_value(*dtype, bits);
}
// A formula that is right in float32 asks there only for what is exact, or rounded to float32 next.
OPREF_INLINE Native<float> quotient_to_odd(const Native<float>& a, const Native<float>& b) { return a / b; }
OPREF_INLINE Native<float> product_to_odd(const Native<float>& a, const Native<float>& b) { return a * b; }
OPREF_INLINE Native<float> sum_to_odd(const Native<float>& a, const Native<float>& b) { return a + b; }
OPREF_INLINE Native<float> rounded_to(const Native<float>& x, std::optional<DType>) { return x; }

/// An integer of the type `Number`, modulo 2^width. One of 64 bits has the low bits of every integer type.
template <class Number>
struct Wrapped {
  using Bits = std::make_unsigned_t<Number>;
  Bits bits;
  OPREF_INLINE Wrapped(double whole) : bits(static_cast<Bits>(static_cast<std::int64_t>(whole))) {}
  template <std::integral N>
  OPREF_INLINE static Wrapped whole(N n) {
    return of(n);
  }
  template <std::integral N>
  OPREF_INLINE static Wrapped of(N low_bits) {
    Wrapped y(0.0);
    y.bits = static_cast<Bits>(low_bits);
    return y;
  }
  OPREF_INLINE Number value() const { return static_cast<Number>(bits); }
  /// For arithmetic: C++ makes signed numbers of narrower ones.
  OPREF_INLINE std::uint64_t wide() const { return bits; }
  static constexpr Bits kAllBits = std::numeric_limits<Bits>::max();
  static constexpr Bits kWithin = std::numeric_limits<Bits>::digits - 1;  ///< a place within the width
};
using Signed = Wrapped<std::int64_t>;
using Unsigned = Wrapped<std::uint64_t>;
template <class N>
OPREF_INLINE Wrapped<N> operator-(const Wrapped<N>& a) {
  return Wrapped<N>::of(0 - a.wide());
}
template <class N>
OPREF_INLINE Wrapped<N> operator+(const Wrapped<N>& a, const Wrapped<N>& b) {
  return Wrapped<N>::of(a.wide() + b.wide());
}
template <class N>
OPREF_INLINE Wrapped<N> operator-(const Wrapped<N>& a, const Wrapped<N>& b) {
  return Wrapped<N>::of(a.wide() - b.wide());
}
template <class N>
OPREF_INLINE Wrapped<N> operator*(const Wrapped<N>& a, const Wrapped<N>& b) {
  return Wrapped<N>::of(a.wide() * b.wide());
}
template <class N>
OPREF_INLINE Truth operator<(const Wrapped<N>& a, const Wrapped<N>& b) {
  return {a.value() < b.value()};
}
template <class N>
OPREF_INLINE Truth operator==(const Wrapped<N>& a, const Wrapped<N>& b) {
  return {a.bits == b.bits};
}
template <class N>
OPREF_INLINE Truth operator<=(const Wrapped<N>& a, const Wrapped<N>& b) {
  return {a.value() <= b.value()};
}
template <class N>
OPREF_INLINE Wrapped<N> operator&(const Wrapped<N>& a, const Wrapped<N>& b) {
  return Wrapped<N>::of(a.bits & b.bits);
}
template <class N>
OPREF_INLINE Wrapped<N> operator|(const Wrapped<N>& a, const Wrapped<N>& b) {
  return Wrapped<N>::of(a.bits | b.bits);
}
template <class N>
OPREF_INLINE Wrapped<N> operator^(const Wrapped<N>& a, const Wrapped<N>& b) {
  return Wrapped<N>::of(a.bits ^ b.bits);
}
/// Shifted by b places where 0 <= b < width, else as by all: 0, or -1 to the right of what is negative.
template <class N>
OPREF_INLINE Wrapped<N> shift_left(const Wrapped<N>& a, const Wrapped<N>& b, std::uint64_t width) {
  return Wrapped<N>::of(b.bits < width ? a.bits << (b.bits & Wrapped<N>::kWithin) : 0);
}
template <class N>
OPREF_INLINE Wrapped<N> shift_right(const Wrapped<N>& a, const Wrapped<N>& b, std::uint64_t width) {
  const N all = a.value() < 0 ? static_cast<N>(-1) : N{0};
  return Wrapped<N>::of(b.bits < width ? a.value() >> (b.bits & Wrapped<N>::kWithin) : all);
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

/// Truncated; least / -1 is least, and 0 where b = 0: whoever lets that happen has no signal to handle.
template <class N>
OPREF_INLINE Wrapped<N> operator/(const Wrapped<N>& a, const Wrapped<N>& b) {
  if (std::is_signed_v<N> && b.bits == Wrapped<N>::kAllBits) return -a;
  return Wrapped<N>::of(b.bits == 0 ? 0 : a.value() / b.value());
}
/// 0 where b = 0.
template <class N>
OPREF_INLINE Wrapped<N> fmod(const Wrapped<N>& a, const Wrapped<N>& b) {
  const bool is_one = b.bits <= 1 || b.bits == Wrapped<N>::kAllBits;  // least / -1 leaves 64 bits
  const bool is_unsigned = !std::is_signed_v<N> && b.bits > 1;
  return Wrapped<N>::of(is_one && !is_unsigned ? 0 : a.value() % b.value());
}
template <class N>
OPREF_INLINE Wrapped<N> floor_mod(const Wrapped<N>& a, const Wrapped<N>& b) {
  const Wrapped<N> rest = fmod(a, b);
  return rest.bits != 0 && (rest.value() < 0) != (b.value() < 0) ? rest + b : rest;
}

/// An integer of any type, whole; for formulas of integers of different types and of numbers that happen to be whole.
/// Numbers beyond ±2^126 are that. Results are modulo 2^64.
struct Whole {
  __extension__ using Wide = __int128;
  Wide v;
  Whole(Wide value) : v(value) {}
  template <std::integral N>
  static Whole whole(N n) {
    return Wide{n};
  }
};
/// x^y truncated toward zero, modulo 2^64; x != 0 where y < 0.
inline Whole pow(const Whole& x, const Whole& y) {
  const bool is_odd = (y.v & 1) != 0;
  if (y.v < 0) return x.v == 1 ? 1 : x.v == -1 ? (is_odd ? -1 : 1) : 0;
  std::uint64_t power = 1, base = static_cast<std::uint64_t>(x.v);
  for (Whole::Wide n = y.v; n != 0; n >>= 1, base *= base)
    if ((n & 1) != 0) power *= base;
  return static_cast<Whole::Wide>(power);
}

/// The page's "f if condition else g".
template <class F, class G>
OPREF_INLINE auto choose(Truth condition, const F& f, const G& g) {
  return select(condition.holds, f(), g());
}

}  // namespace opref::exact
