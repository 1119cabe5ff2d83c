// SPDX-License-Identifier: Apache-2.0
#define MPFR_USE_INTMAX_T
#include "exact/real/interval.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "exact/real/interval_ends.h"
#include "exact/rounding.h"
#include "system/deadline.h"

namespace opref::exact {
namespace {

double log2_of_sum(double a, double b) { return std::max(a, b) + 1; }

enum class Side : std::uint8_t { at, inward, outward };

/// The T nearest to one end, or to what lies beside it on the side that is nearer to zero, or farther: by its 63
/// leading bits and a sticky one.
template <class T>
T rounded_end(mpfr_srcptr x, Side side) {
  constexpr mpfr_exp_t kBeyondAll = 5000;
  const bool negative = mpfr_signbit(x) != 0;
  if (mpfr_nan_p(x)) return quiet_nan<T>();
  if (mpfr_inf_p(x)) return infinity<T>(negative);
  if (mpfr_zero_p(x)) return encode<T>(negative, 0, 0);
  const auto exponent = static_cast<int>(std::clamp<mpfr_exp_t>(mpfr_get_exp(x), -kBeyondAll, kBeyondAll));
  mpfr_t leading;
  mpfr_init2(leading, 63);
  const bool inexact = mpfr_set(leading, x, MPFR_RNDZ) != 0;
  mpfr_abs(leading, leading, MPFR_RNDZ);
  mpfr_set_exp(leading, 63);
  const std::uint64_t significand = mpfr_get_uj(leading, MPFR_RNDZ);
  mpfr_clear(leading);
  const bool is_more = inexact || side == Side::outward, is_less = !inexact && side == Side::inward;
  return encode<T>(negative, (significand << 1) + (is_more ? 1 : 0) - (is_less ? 1 : 0), exponent - 64);
}
template <class T>
T rounded_low(const Interval& y) {
  const Side inside = mpfr_signbit(y.low()) != 0 ? Side::inward : Side::outward;
  return rounded_end<T>(y.low(), y.is_low_open() ? inside : Side::at);
}
template <class T>
T rounded_high(const Interval& y) {
  const Side inside = mpfr_signbit(y.high()) != 0 ? Side::outward : Side::inward;
  return rounded_end<T>(y.high(), y.is_high_open() ? inside : Side::at);
}

}  // namespace

Logs outward(double low, double high) {
  constexpr double kLess = 1 - 0x1p-50, kMore = 1 + 0x1p-50, kMost = std::numeric_limits<double>::max();
  if (std::isnan(low) || std::isnan(high)) return {};
  low = low > kMost ? kMost : low * (low > 0 ? kLess : kMore);
  high = high < -kMost ? -kMost : high * (high > 0 ? kMore : kLess);
  return {low - 1, high + 1};
}

Size sum_size(const Size& a, const Size& b) {
  const double p = std::max(a.p, b.p);
  return {p, log2_of_sum(a.u + (p - a.p) + b.l, b.u + (p - b.p) + a.l), a.l + b.l, a.degree * b.degree};
}
Size product_size(const Size& a, const Size& b) { return {a.p + b.p, a.u + b.u, a.l + b.l, a.degree * b.degree}; }
Size quotient_size(const Size& a, const Size& b) {
  const double p = a.p - b.p;
  return {std::max(p, 0.0), a.u + b.l + std::max(-p, 0.0), a.l + b.u, a.degree * b.degree};
}
Size root_size(const Size& a) {
  const double odd = std::fmod(a.p, 2) != 0, u = a.u + odd;
  const double half = (u + a.l) / 2;
  return {(a.p + odd) / 2, u >= a.l ? half : u, u >= a.l ? a.l : half, a.degree * 2};
}

Size either_size(const Size& a, const Size& b) {
  const double p = std::max(a.p, b.p);
  return {p, std::max(a.u + (p - a.p), b.u + (p - b.p)), std::max(a.l, b.l), std::max(a.degree, b.degree)};
}

Interval::Interval(const Size& size) : size_(size) {
  MpfrThread::prepare();
  mpfr_init2(low_, precision);
  mpfr_init2(high_, precision);
}
Interval::Interval(double exact) {
  MpfrThread::prepare();
  mpfr_init2(low_, 53);
  mpfr_init2(high_, 53);
  mpfr_set_d(low_, exact, MPFR_RNDN);
  mpfr_set_d(high_, exact, MPFR_RNDN);
  become_point();
}
Interval Interval::of_integer(bool negative, std::uint64_t magnitude) {
  Interval y(0.0);
  for (mpfr_ptr end : {mpfr_ptr{y.low_}, mpfr_ptr{y.high_}}) {
    mpfr_set_prec(end, 64);
    mpfr_set_uj(end, magnitude, MPFR_RNDN);
  }
  y.become_point();
  return negative ? -y : y;
}
Interval::Interval(const Interval& other)
    : low_open_(other.low_open_), high_open_(other.high_open_), size_(other.size_), logs_(other.logs_) {
  mpfr_init2(low_, mpfr_get_prec(other.low_));
  mpfr_init2(high_, mpfr_get_prec(other.high_));
  mpfr_set(low_, other.low_, MPFR_RNDD);
  mpfr_set(high_, other.high_, MPFR_RNDU);
}
Interval::Interval(Interval&& other) noexcept : Interval(other.size_) { swap(other); }
Interval& Interval::operator=(Interval other) noexcept {
  swap(other);
  return *this;
}
void Interval::swap(Interval& other) noexcept {
  mpfr_swap(low_, other.low_);
  mpfr_swap(high_, other.high_);
  std::swap(low_open_, other.low_open_);
  std::swap(high_open_, other.high_open_);
  std::swap(size_, other.size_);
  std::swap(logs_, other.logs_);
}
Interval::~Interval() {
  mpfr_clear(low_);
  mpfr_clear(high_);
}

Interval Interval::nan() { return Interval(Size()); }  // MPFR's numbers are NaN until they are set
Interval Interval::anything() {
  Interval y(Size::transcendental());
  mpfr_set_inf(y.low_, -1);
  mpfr_set_inf(y.high_, 1);
  return y;
}
Interval Interval::zero_of_either_sign() {
  Interval y(0.0);
  mpfr_set_zero(y.low_, -1);
  return y;
}
Interval Interval::either(const Interval& a, const Interval& b) {
  if (a.is_nan() && b.is_nan()) return nan();
  if (a.is_nan() || b.is_nan() || a.is_anything() || b.is_anything() || a.is_infinity() || b.is_infinity())
    return anything();
  Interval y(either_size(a.size_, b.size_));
  mpfr_min(y.low_, a.low_, b.low_, MPFR_RNDD);
  mpfr_max(y.high_, a.high_, b.high_, MPFR_RNDU);
  const auto is_end = [](const MpfrRoom& end, const MpfrRoom& own) { return mpfr_equal_p(end, own) != 0; };
  y.low_open_ = (!is_end(y.low_, a.low_) || a.low_open_) && (!is_end(y.low_, b.low_) || b.low_open_);
  y.high_open_ = (!is_end(y.high_, a.high_) || a.high_open_) && (!is_end(y.high_, b.high_) || b.high_open_);
  if (y.is_point() || y.is_zero()) y.become_point();
  if (y.is_beyond()) y.logs_ = {std::min(a.logs().low, b.logs().low), std::max(a.logs().high, b.logs().high)};
  return y;
}
Interval Interval::signed_like(const Interval& a, const Interval& b, double size) {
  if (!a.has_sign() || !b.has_sign()) return size == 0 ? zero_of_either_sign() : anything();
  return Interval(mpfr_signbit(a.low_) != mpfr_signbit(b.low_) ? -size : size);
}
bool Interval::is_nan() const { return mpfr_nan_p(low_) != 0 || mpfr_nan_p(high_) != 0; }
bool Interval::is_point() const { return (mpfr_equal_p(low_, high_) != 0 && has_sign()) || is_nan(); }
bool Interval::is_zero() const { return mpfr_zero_p(low_) != 0 && mpfr_zero_p(high_) != 0; }
bool Interval::is_infinity() const { return mpfr_inf_p(low_) != 0 && is_point(); }
bool Interval::is_finite() const { return mpfr_number_p(low_) != 0 && mpfr_number_p(high_) != 0; }
bool Interval::contains_zero() const {
  const int of_low = mpfr_sgn(low_), of_high = mpfr_sgn(high_);
  return (of_low < 0 || (of_low == 0 && !low_open_)) && (of_high > 0 || (of_high == 0 && !high_open_));
}
bool Interval::has_sign() const { return mpfr_signbit(low_) == mpfr_signbit(high_); }
bool Interval::is_beyond() const {
  return has_sign() && !is_point() && !contains_zero() && (mpfr_regular_p(low_) == 0 || mpfr_regular_p(high_) == 0);
}
Logs Interval::logs() const {
  if (is_beyond()) return logs_;
  if (!has_sign() || mpfr_regular_p(low_) == 0 || mpfr_regular_p(high_) == 0) return {};
  const auto [least, most] = std::minmax(mpfr_get_exp(low_), mpfr_get_exp(high_));
  return outward(static_cast<double>(least), static_cast<double>(most));
}
/// ±[2^low, 2^high], or what MPFR has beside that.
Interval Interval::of_logs(bool negative, const Logs& logs) {
  constexpr double kMost = 0x1p61;  // well within MPFR's exponents
  Interval y(Size::transcendental());
  const auto power = [kMost](mpfr_ptr end, double log2, mpfr_rnd_t direction) {
    mpfr_set_ui_2exp(end, 1, static_cast<mpfr_exp_t>(std::clamp(log2, -kMost, kMost)), direction);
  };
  power(y.low_, std::floor(logs.low), MPFR_RNDD);
  power(y.high_, std::ceil(logs.high), MPFR_RNDU);
  if (logs.low < -kMost) mpfr_set_zero(y.low_, 1);
  if (logs.high > kMost) mpfr_set_inf(y.high_, 1);
  y.low_open_ = y.high_open_ = true;
  y.logs_ = logs;
  return negative ? -y : y;
}
std::optional<Interval> Interval::by_logs(const Interval& a, const Interval& b, const Logs& logs) {
  if (!(a.is_beyond() || b.is_beyond()) || !(logs.low > -HUGE_VAL || logs.high < HUGE_VAL)) return std::nullopt;
  return of_logs(mpfr_signbit(a.low_) != mpfr_signbit(b.low_), logs);
}
std::optional<int> Interval::sign() const {
  const int of_low = mpfr_zero_p(low_) != 0 && low_open_ ? 1 : mpfr_sgn(low_),
            of_high = mpfr_zero_p(high_) != 0 && high_open_ ? -1 : mpfr_sgn(high_);
  return of_low == of_high ? std::optional(of_low > 0 ? 1 : of_low < 0 ? -1 : 0) : std::nullopt;
}
int Interval::side() const { return mpfr_sgn(low_) >= 0 ? 1 : mpfr_sgn(high_) <= 0 ? -1 : 0; }
bool Interval::is_anything() const {
  return mpfr_inf_p(low_) != 0 && mpfr_inf_p(high_) != 0 && mpfr_sgn(low_) != mpfr_sgn(high_);
}

bool Interval::narrower(double bits) const {
  constexpr double kMost = 1e9;
  if (!(bits < kMost)) return false;
  mpfr_t width;
  mpfr_init2(width, 32);
  mpfr_sub(width, high_, low_, MPFR_RNDU);
  const bool result =
      mpfr_zero_p(width) != 0 || (mpfr_number_p(width) != 0 && static_cast<double>(mpfr_get_exp(width)) <= -bits);
  mpfr_clear(width);
  return result;
}

/// A point is dyadic: m·2^e.
void Interval::become_point() {
  size_ = {};
  if (mpfr_regular_p(low_) == 0) return;
  const auto exponent = static_cast<double>(mpfr_get_exp(low_));
  size_.p = std::max(0.0, static_cast<double>(mpfr_min_prec(low_)) - exponent);
  size_.u = exponent + size_.p;
}

/// An algebraic zero becomes a point as soon as it is known; so its sign, and what follows from it, is IEEE 754's.
Interval& Interval::finish() {
  if (is_nan()) return *this = anything();  // 0·Inf of ends, not of numbers
  if (mpfr_zero_p(low_) != 0 && low_open_) mpfr_set_zero(low_, 1);
  if (mpfr_zero_p(high_) != 0 && high_open_) mpfr_set_zero(high_, -1);
  if (contains_zero() && (is_zero() || narrower(size_.zero_bits()))) *this = Interval(0.0);
  return *this;
}

Interval operator-(const Interval& a) {
  Interval y(a);
  mpfr_swap(y.low_, y.high_);
  std::swap(y.low_open_, y.high_open_);
  mpfr_neg(y.low_, y.low_, MPFR_RNDN);
  mpfr_neg(y.high_, y.high_, MPFR_RNDN);
  return y;
}

Interval operator+(const Interval& a, const Interval& b) {
  require_time();
  if (a.is_nan() || b.is_nan()) return Interval::nan();
  if (a.is_anything() || b.is_anything()) return Interval::anything();
  Interval y(sum_size(a.size_, b.size_));
  if (a.is_point() && b.is_point())
    return y.at_point([&](mpfr_ptr r, mpfr_rnd_t d) { return mpfr_add(r, a.low_, b.low_, d); });
  const auto is_plus_zero = [](const Interval& x) { return x.is_zero() && mpfr_signbit(x.low_) == 0; };
  if (a.is_zero() && b.is_zero()) return is_plus_zero(a) ? a : is_plus_zero(b) ? b : Interval::zero_of_either_sign();
  // What is no point is a number: an infinite end of it is beyond MPFR's exponents.
  if (a.is_zero() || b.is_infinity()) return b;
  if (b.is_zero() || a.is_infinity()) return a;
  y.low_open_ = mpfr_add(y.low_, a.low_, b.low_, MPFR_RNDD) != 0 || a.low_open_ || b.low_open_;
  y.high_open_ = mpfr_add(y.high_, a.high_, b.high_, MPFR_RNDU) != 0 || a.high_open_ || b.high_open_;
  y.finish();
  if (!(a.is_beyond() || b.is_beyond()) || !a.has_sign() || !b.has_sign()) return y;
  const Logs of_a = a.logs(), of_b = b.logs();
  const bool a_negative = mpfr_signbit(a.low_) != 0, b_negative = mpfr_signbit(b.low_) != 0;
  const auto with = [&](bool negative, double low, double high) {
    if (y.is_anything() || y.contains_zero()) return Interval::of_logs(negative, outward(low, high));
    y.logs_ = outward(low, high);
    return y;
  };
  if (a_negative == b_negative)
    return with(a_negative, std::max(of_a.low, of_b.low), std::max(of_a.high, of_b.high) + 1);
  if (of_a.low > of_b.high + 1) return with(a_negative, of_a.low - 1, of_a.high);
  if (of_b.low > of_a.high + 1) return with(b_negative, of_b.low - 1, of_b.high);
  return y;
}

Interval operator*(const Interval& a, const Interval& b) {
  require_time();
  if (a.is_nan() || b.is_nan()) return Interval::nan();
  if (a.is_anything() || b.is_anything()) return Interval::anything();
  Interval y(product_size(a.size_, b.size_));
  if (a.is_point() && b.is_point())
    return y.at_point([&](mpfr_ptr r, mpfr_rnd_t d) { return mpfr_mul(r, a.low_, b.low_, d); });
  if (a.is_zero() || b.is_zero())
    return a.is_infinity() || b.is_infinity() ? Interval::nan() : Interval::signed_like(a, b, 0.0);
  const Logs of_a = a.logs(), of_b = b.logs();
  const double infinity = std::numeric_limits<double>::infinity();
  if ((a.is_infinity() && !b.contains_zero()) || (b.is_infinity() && !a.contains_zero()))
    return Interval::signed_like(a, b, infinity);
  if (const auto beyond = Interval::by_logs(a, b, outward(of_a.low + of_b.low, of_a.high + of_b.high))) return *beyond;
  const EndOperation product{0, 0, mpfr_mul};
  const int side_of_a = a.side(), side_of_b = b.side();
  return side_of_a != 0 && side_of_b != 0 ? y.between(a, side_of_b > 0, b, side_of_a > 0, product)
                                          : y.corners(a, b, product);
}

Interval operator/(const Interval& a, const Interval& b) {
  require_time();
  if (a.is_nan() || b.is_nan()) return Interval::nan();
  if (a.is_anything() || b.is_anything()) return Interval::anything();
  Interval y(quotient_size(a.size_, b.size_));
  if (a.is_point() && b.is_point())
    return y.at_point([&](mpfr_ptr r, mpfr_rnd_t d) { return mpfr_div(r, a.low_, b.low_, d); });
  const double infinity = std::numeric_limits<double>::infinity();
  const Logs of_a = a.logs(), of_b = b.logs();
  if (const auto beyond = Interval::by_logs(a, b, outward(of_a.low - of_b.high, of_a.high - of_b.low))) return *beyond;
  if (b.contains_zero())
    return b.is_zero() && !a.contains_zero() ? Interval::signed_like(a, b, infinity) : Interval::anything();
  if (a.is_infinity()) return Interval::signed_like(a, b, infinity);
  if (a.is_zero() || b.is_infinity()) return Interval::signed_like(a, b, 0.0);
  const EndOperation quotient{0, infinity, mpfr_div};
  return a.side() != 0 ? y.between(a, b.side() > 0, b, a.side() < 0, quotient) : y.corners(a, b, quotient);
}

template <class T>
bool settle(const Interval& y, T& element) {
  using F = Format<T>;
  const T low = rounded_low<T>(y), high = rounded_high<T>(y);
  if (y.is_nan() || to_bits(low) == to_bits(high)) return element = low, true;
  // Of two neighbours y is the midpoint, if it is algebraic and cannot be so near to it otherwise.
  const auto field_low = static_cast<std::int64_t>(to_bits(low) & ~sign_bit<T>);
  const auto field_high = static_cast<std::int64_t>(to_bits(high) & ~sign_bit<T>);
  const bool one_sign = (to_bits(low) & sign_bit<T>) == (to_bits(high) & sign_bit<T>);
  if (!one_sign || std::abs(field_low - field_high) != 1) return false;
  constexpr double kPlaces = F::precision - F::min_exponent;  // a midpoint is a multiple of 2^-kPlaces
  const Size midpoint{kPlaces, kPlaces + F::max_exponent + 1.0, 0, 1};
  if (!y.narrower(sum_size(y.size(), midpoint).zero_bits())) return false;
  element = (field_low & 1) == 0 ? low : high;
  return true;
}
template <>
bool settle(const Interval& y, std::uint64_t& bits) {
  if (y.is_anything()) return false;
  if (y.is_nan() || mpfr_inf_p(y.low()) != 0 || mpfr_inf_p(y.high()) != 0) return bits = 0, y.is_point();
  mpz_t low, high;
  mpz_inits(low, high, nullptr);
  mpfr_get_z(low, y.low(), MPFR_RNDZ);
  mpfr_get_z(high, y.high(), MPFR_RNDZ);
  if (y.is_low_open() && mpfr_sgn(y.low()) < 0 && mpfr_integer_p(y.low()) != 0) mpz_add_ui(low, low, 1);
  if (y.is_high_open() && mpfr_sgn(y.high()) > 0 && mpfr_integer_p(y.high()) != 0) mpz_sub_ui(high, high, 1);
  const bool known = mpz_cmp(low, high) == 0;
  mpz_fdiv_r_2exp(low, low, 64);
  bits = mpz_get_ui(low);
  mpz_clears(low, high, nullptr);
  return known;
}
template bool settle(const Interval&, Half&);
template bool settle(const Interval&, BFloat16&);
template bool settle(const Interval&, float&);
template bool settle(const Interval&, double&);

}  // namespace opref::exact
