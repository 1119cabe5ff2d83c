// SPDX-License-Identifier: Apache-2.0
#include "ops/common/rational.h"

namespace opref::ops {

static_assert(sizeof(long) == sizeof(std::int64_t));

Rational::Rational(std::int64_t whole) {
  mpq_init(q_);
  mpq_set_si(q_, whole, 1);
}

Rational Rational::of(double number) {
  Rational exact;
  mpq_set_d(exact.q_, number);
  return exact;
}

Rational::Rational(const Rational& other) {
  mpq_init(q_);
  mpq_set(q_, other.q_);
}

Rational& Rational::operator=(const Rational& other) {
  mpq_set(q_, other.q_);
  return *this;
}

Rational operator+(const Rational& a, const Rational& b) {
  Rational c;
  mpq_add(c.q_, a.q_, b.q_);
  return c;
}

Rational operator-(const Rational& a, const Rational& b) {
  Rational c;
  mpq_sub(c.q_, a.q_, b.q_);
  return c;
}

Rational operator*(const Rational& a, const Rational& b) {
  Rational c;
  mpq_mul(c.q_, a.q_, b.q_);
  return c;
}

Rational operator/(const Rational& a, const Rational& b) {
  Rational c;
  mpq_div(c.q_, a.q_, b.q_);
  return c;
}

Rational Rational::floor() const {
  Rational whole;
  mpz_fdiv_q(mpq_numref(whole.q_), mpq_numref(q_), mpq_denref(q_));
  return whole;
}

Rational Rational::rounded_away() const {
  const Rational half = Rational(1) / Rational(2);
  return *this < Rational(0) ? (*this - half).ceil() : (*this + half).floor();
}

std::int64_t Rational::clamped(std::int64_t least, std::int64_t most) const {
  if (*this < Rational(least)) return least;
  if (*this >= Rational(most)) return most;
  return mpz_get_si(mpq_numref(floor().q_));
}

}  // namespace opref::ops
