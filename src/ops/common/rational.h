// SPDX-License-Identifier: Apache-2.0
// Exact quotients of whole numbers, for coordinates that decide which elements are read: their floor, their order.
#pragma once

#include <gmp.h>

#include <compare>
#include <cstdint>

#include "core/rooms.h"

namespace opref::ops {

class Rational {
 public:
  Rational(std::int64_t whole = 0);
  /// The number that the finite double is.
  static Rational of(double number);
  Rational(const Rational& other);
  Rational& operator=(const Rational& other);
  ~Rational() { mpq_clear(q_); }

  friend Rational operator+(const Rational& a, const Rational& b);
  friend Rational operator-(const Rational& a, const Rational& b);
  friend Rational operator*(const Rational& a, const Rational& b);
  /// b is not zero.
  friend Rational operator/(const Rational& a, const Rational& b);
  friend std::strong_ordering operator<=>(const Rational& a, const Rational& b) { return mpq_cmp(a.q_, b.q_) <=> 0; }
  friend bool operator==(const Rational& a, const Rational& b) { return mpq_equal(a.q_, b.q_) != 0; }

  Rational floor() const;
  Rational ceil() const { return Rational() - (Rational() - *this).floor(); }
  /// To the nearest whole number, halves away from zero.
  Rational rounded_away() const;
  /// The floor, within [least, most].
  std::int64_t clamped(std::int64_t least, std::int64_t most) const;

 private:
  mpq_t q_;
};

}  // namespace opref::ops
