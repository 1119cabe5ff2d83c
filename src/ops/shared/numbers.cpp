// SPDX-License-Identifier: Apache-2.0
#include "ops/shared/numbers.h"
#include <algorithm>
#include <cmath>
#include <limits>

#include "core/index.h"
#include "exact/rounding.h"
#include "system/deadline.h"
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

Rational Rational::of_float32(float number) {
  constexpr float kMost = std::numeric_limits<float>::max();
  return of(std::isnan(number) ? 0.0 : exact::widen(std::clamp(number, -kMost, kMost)));
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
  require_time();
  Rational c;
  mpq_add(c.q_, a.q_, b.q_);
  return c;
}

Rational operator-(const Rational& a, const Rational& b) {
  require_time();
  Rational c;
  mpq_sub(c.q_, a.q_, b.q_);
  return c;
}

Rational operator*(const Rational& a, const Rational& b) {
  require_time();
  Rational c;
  mpq_mul(c.q_, a.q_, b.q_);
  return c;
}

Rational operator/(const Rational& a, const Rational& b) {
  require_time();
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

Rational Rational::rounded_even() const {
  const Rational two(2), down = (*this + Rational(1) / two).floor();
  const bool is_tie = down - *this == Rational(1) / two;
  return is_tie && !(down / two).is_whole() ? down - Rational(1) : down;
}

Rational Rational::denominator() const {
  Rational whole;
  mpq_set_z(whole.q_, mpq_denref(q_));
  return whole;
}

Rational common_multiple(const Rational& a, const Rational& b) {
  Rational whole;
  mpz_lcm(mpq_numref(whole.q_), mpq_numref(a.q_), mpq_numref(b.q_));
  return whole;
}

Rational Rational::of_wide(Wide whole) {
  Rational wide(static_cast<std::int64_t>(whole >> 64));
  mpq_mul_2exp(wide.q_, wide.q_, 64);
  mpz_add_ui(mpq_numref(wide.q_), mpq_numref(wide.q_), static_cast<std::uint64_t>(whole));
  return wide;
}

std::uint64_t Rational::low_bits() const {
  Rational low;
  mpz_fdiv_r_2exp(mpq_numref(low.q_), mpq_numref(q_), 64);
  return mpz_get_ui(mpq_numref(low.q_));
}

exact::Interval Rational::interval() const {
  const auto whole = [](mpz_srcptr z) {
    exact::Interval sum(0.0);
    for (size_t limb = mpz_size(z); limb-- > 0;)
      sum =
          sum * exact::Interval(0x1p64) + exact::Interval::of_integer(false, mpz_getlimbn(z, static_cast<long>(limb)));
    return mpz_sgn(z) < 0 ? -sum : sum;
  };
  return is_whole() ? whole(mpq_numref(q_)) : whole(mpq_numref(q_)) / whole(mpq_denref(q_));
}

std::string to_text(const Rational& number) {
  std::string text(mpz_sizeinbase(mpq_numref(number.q_), 10) + mpz_sizeinbase(mpq_denref(number.q_), 10) + 3, ' ');
  mpq_get_str(text.data(), 10, number.q_);
  return text.c_str();
}

std::int64_t Rational::clamped(std::int64_t least, std::int64_t most) const {
  if (*this < Rational(least)) return least;
  if (*this >= Rational(most)) return most;
  return mpz_get_si(mpq_numref(floor().q_));
}

TensorType parts_type(const TensorType& type) {
  if (!is_complex(type.dtype)) return type;
  return {type.dtype == DType::complex64 ? DType::float32 : DType::float64, join(type.shape, Dims{2})};
}

Tensor parts_of(const Tensor& x) {
  return is_complex(x.dtype()) ? Tensor::copy_of(parts_type(x.type()), x.bytes()) : x;
}
}  // namespace opref::ops
