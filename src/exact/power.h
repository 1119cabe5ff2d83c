// SPDX-License-Identifier: Apache-2.0
// Powers x^p by multiplications and square roots alone, whose errors are known.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <optional>

#include "exact/vector.h"

namespace opref::exact {

/// p = whole + fraction/2^digits > 0, where fraction is odd or digits = 0.
struct Power {
  int whole = 0;
  std::uint64_t fraction = 0;
  int digits = 0;

  constexpr Power(int integer) : whole(integer) {}  // an integer is a power
  constexpr Power(int integer, std::uint64_t odd, int places) : whole(integer), fraction(odd), digits(places) {}
  /// p, if it is at most kMostEstimatedPower and has at most 40 binary digits after the point.
  static std::optional<Power> of(double p);

  double value() const { return whole + std::ldexp(static_cast<double>(fraction), -digits); }
  int ceiling() const { return whole + (digits > 0 ? 1 : 0); }
  bool is_one() const { return whole == 1 && digits == 0; }
  bool is_two() const { return whole == 2 && digits == 0; }
  /// `raised` has a relative error of less than so many roundings, each that of one multiplication or square root:
  /// an integer power one per multiplication, q - 1. Of a fraction, √x has one, and a step f ← √f·√x leaves
  /// δ/2 + 3 where f had δ, which stays below 6; one more multiplication joins the two.
  double roundings() const { return whole + (digits > 0 ? 7 : 0); }
};

/// The powers that estimates take.
constexpr int kMostEstimatedPower = 64;

OPREF_INLINE double square_root(double x) { return std::sqrt(x); }

/// x^p for x >= 0; all numbers on the way are between two of 1, x and x^p. Number has `*` and square_root.
template <class Number>
OPREF_INLINE Number raised(const Number& x, const Power& p) {
  Number power = x;
  if (p.whole > 1)
    for (auto bit = std::bit_floor(static_cast<unsigned>(p.whole)) >> 1; bit != 0; bit >>= 1) {
      power = power * power;
      if ((static_cast<unsigned>(p.whole) & bit) != 0) power = power * x;
    }
  if (p.digits == 0) return power;
  const Number root = square_root(x);
  Number part = root;  // x to the power of the fraction's last digits
  for (int i = 1; i < p.digits; ++i) {
    part = square_root(part);
    if ((p.fraction >> i & 1) != 0) part = part * root;
  }
  return p.whole == 0 ? part : power * part;
}

}  // namespace opref::exact
