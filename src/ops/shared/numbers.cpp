// SPDX-License-Identifier: Apache-2.0
#include "ops/shared/numbers.h"
#include <gmp.h>
#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>

#include "core/error.h"
#include "core/index.h"
#include "core/nearly.h"
#include "exact/exact_sum.h"
#include "exact/rounding.h"
#include "system/deadline.h"
namespace opref::ops {
static_assert(sizeof(long) == sizeof(std::int64_t));

struct Rational::Large {
  mpq_t q;

  Large() { mpq_init(q); }
  Large(const Large&) = delete;
  Large& operator=(const Large&) = delete;
  explicit Large(const Rational& a) : Large() {
    if (a.is_large())
      mpq_set(q, a.large_->q);
    else
      mpq_set_si(q, a.n_, static_cast<std::uint64_t>(a.d_));
  }
  ~Large() { mpq_clear(q); }
};
void Rational::Free::operator()(Large* large) const { delete large; }

namespace {
bool is_small(Rational::Wide n) { return n <= INT64_MAX && n >= -Rational::Wide{INT64_MAX}; }
std::uint64_t magnitude(std::int64_t n) {
  return n < 0 ? 0 - static_cast<std::uint64_t>(n) : static_cast<std::uint64_t>(n);
}
int trailing_zeros(Rational::Wide n) {
  const auto low = static_cast<std::uint64_t>(n);
  return low != 0 ? std::countr_zero(low) : 64 + std::countr_zero(static_cast<std::uint64_t>(n >> 64));
}
void set_wide(mpz_ptr z, Rational::Wide n) {
  mpz_set_si(z, static_cast<std::int64_t>(n >> 64));
  mpz_mul_2exp(z, z, 64);
  mpz_add_ui(z, z, static_cast<std::uint64_t>(n));
}
}  // namespace

void Rational::copy_large(const Rational& other) {
  large_.reset(other.is_large() ? new Large(other) : nullptr);  // NOLINT(cppcoreguidelines-owning-memory)
}

Rational Rational::of_large(LargeOne large) {
  const auto fits = [](mpz_srcptr z) { return mpz_fits_slong_p(z) != 0 && mpz_get_si(z) != INT64_MIN; };
  if (fits(mpq_numref(large->q)) && fits(mpq_denref(large->q)))
    return of_small(mpz_get_si(mpq_numref(large->q)), mpz_get_si(mpq_denref(large->q)));
  Rational exact;
  exact.large_ = std::move(large);
  return exact;
}

Rational Rational::quotient(Wide n, Wide d) {
  if (n == 0) return {};
  const int twos = std::min(trailing_zeros(n), trailing_zeros(d));
  n >>= twos, d >>= twos;
  if (is_small(n) && is_small(d)) {
    const auto small_n = static_cast<std::int64_t>(n), small_d = static_cast<std::int64_t>(d);
    const bool is_dyadic = (small_d & (small_d - 1)) == 0;
    const auto common =
        is_dyadic ? 1 : static_cast<std::int64_t>(std::gcd(magnitude(small_n), static_cast<std::uint64_t>(small_d)));
    return of_small(small_n / common, small_d / common);
  }
  LargeOne large(new Large);  // NOLINT(cppcoreguidelines-owning-memory)
  set_wide(mpq_numref(large->q), n), set_wide(mpq_denref(large->q), d);
  mpq_canonicalize(large->q);
  return of_large(std::move(large));
}

template <class Operation>
Rational Rational::by_gmp(const Rational& a, const Rational& b, const Operation& operation) {
  const Large x(a), y(b);
  LargeOne z(new Large);  // NOLINT(cppcoreguidelines-owning-memory)
  operation(z->q, x.q, y.q);
  return of_large(std::move(z));
}

Rational Rational::of(double number) {
  constexpr int kDigits = 53, kMost = 62;
  int exponent = 0;
  auto n = static_cast<std::int64_t>(std::ldexp(std::frexp(number, &exponent), kDigits));
  if (n == 0) return {};
  const int twos = trailing_zeros(n);
  n >>= twos, exponent += twos - kDigits;
  if (exponent >= 0 && std::bit_width(magnitude(n)) + exponent <= kMost) return n << exponent;
  if (exponent < 0 && exponent >= -kMost) return of_small(n, std::int64_t{1} << -exponent);
  LargeOne large(new Large);  // NOLINT(cppcoreguidelines-owning-memory)
  mpq_set_d(large->q, number);
  return of_large(std::move(large));
}

Rational Rational::of_float32(float number) {
  constexpr float kMost = std::numeric_limits<float>::max();
  return of(std::isnan(number) ? 0.0 : exact::widen(std::clamp(number, -kMost, kMost)));
}

Rational Rational::of_wide(Wide whole) { return quotient(whole, 1); }

Rational operator+(const Rational& a, const Rational& b) {
  require_time();
  using Wide = Rational::Wide;
  if (a.is_large() || b.is_large()) return Rational::by_gmp(a, b, mpq_add);
  if (a.d_ == b.d_) return Rational::quotient(Wide{a.n_} + b.n_, a.d_);
  return Rational::quotient(Wide{a.n_} * b.d_ + Wide{b.n_} * a.d_, Wide{a.d_} * b.d_);
}

Rational operator-(const Rational& a, const Rational& b) {
  require_time();
  using Wide = Rational::Wide;
  if (a.is_large() || b.is_large()) return Rational::by_gmp(a, b, mpq_sub);
  if (a.d_ == b.d_) return Rational::quotient(Wide{a.n_} - b.n_, a.d_);
  return Rational::quotient(Wide{a.n_} * b.d_ - Wide{b.n_} * a.d_, Wide{a.d_} * b.d_);
}

Rational operator*(const Rational& a, const Rational& b) {
  require_time();
  using Wide = Rational::Wide;
  if (a.is_large() || b.is_large()) return Rational::by_gmp(a, b, mpq_mul);
  return Rational::quotient(Wide{a.n_} * b.n_, Wide{a.d_} * b.d_);
}

Rational operator/(const Rational& a, const Rational& b) {
  require_time();
  using Wide = Rational::Wide;
  if (a.is_large() || b.is_large()) return Rational::by_gmp(a, b, mpq_div);
  const Wide n = Wide{a.n_} * b.d_, d = Wide{a.d_} * b.n_;
  return d < 0 ? Rational::quotient(-n, -d) : Rational::quotient(n, d);
}

std::strong_ordering operator<=>(const Rational& a, const Rational& b) {
  using Wide = Rational::Wide;
  if (a.is_large() || b.is_large()) return mpq_cmp(Rational::Large(a).q, Rational::Large(b).q) <=> 0;
  if (a.d_ == b.d_) return a.n_ <=> b.n_;
  return Wide{a.n_} * b.d_ <=> Wide{b.n_} * a.d_;
}

Rational Rational::floor() const {
  if (!is_large()) return floor_divide(n_, d_);
  LargeOne whole(new Large);  // NOLINT(cppcoreguidelines-owning-memory)
  mpz_fdiv_q(mpq_numref(whole->q), mpq_numref(large_->q), mpq_denref(large_->q));
  return of_large(std::move(whole));
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

bool Rational::is_whole() const { return is_large() ? mpz_cmp_ui(mpq_denref(large_->q), 1) == 0 : d_ == 1; }

Rational Rational::denominator() const {
  if (!is_large()) return d_;
  LargeOne whole(new Large);  // NOLINT(cppcoreguidelines-owning-memory)
  mpq_set_z(whole->q, mpq_denref(large_->q));
  return of_large(std::move(whole));
}

Rational common_multiple(const Rational& a, const Rational& b) {
  if (!a.is_large() && !b.is_large() && a.n_ > 0 && b.n_ > 0)
    return Rational::of_wide(Rational::Wide{a.n_ / std::gcd(a.n_, b.n_)} * b.n_);
  return Rational::by_gmp(a, b, [](mpq_ptr whole, mpq_srcptr x, mpq_srcptr y) {
    mpz_lcm(mpq_numref(whole), mpq_numref(x), mpq_numref(y));
  });
}

std::uint64_t Rational::low_bits() const {
  if (!is_large()) return static_cast<std::uint64_t>(n_);
  Large low;
  mpz_ptr bits = mpq_numref(low.q);
  mpz_fdiv_r_2exp(bits, mpq_numref(large_->q), 64);
  return mpz_get_ui(bits);
}

double Rational::nearby() const {
  constexpr std::int64_t kExact = std::int64_t{1} << 53;
  if (is_large() || std::abs(n_) > kExact || d_ > kExact) return mpq_get_d(Large(*this).q);
  const auto n = nearly(n_), d = nearly(d_);
  const double quotient = n / d, rest = std::fma(-quotient, d, n);
  return rest != 0 && (rest < 0) != (n < 0) ? std::nextafter(quotient, 0.0) : quotient;
}

exact::Interval Rational::interval() const {
  const Large exact(*this);
  const auto whole = [](mpz_srcptr z) {
    exact::Interval sum(0.0);
    for (size_t limb = mpz_size(z); limb-- > 0;)
      sum =
          sum * exact::Interval(0x1p64) + exact::Interval::of_integer(false, mpz_getlimbn(z, static_cast<long>(limb)));
    return mpz_sgn(z) < 0 ? -sum : sum;
  };
  return is_whole() ? whole(mpq_numref(exact.q)) : whole(mpq_numref(exact.q)) / whole(mpq_denref(exact.q));
}

std::string to_text(const Rational& number) {
  const Rational::Large exact(number);
  std::string text(mpz_sizeinbase(mpq_numref(exact.q), 10) + mpz_sizeinbase(mpq_denref(exact.q), 10) + 3, ' ');
  mpq_get_str(text.data(), 10, exact.q);
  return text.c_str();
}

std::int64_t Rational::clamped(std::int64_t least, std::int64_t most) const {
  if (*this < Rational(least)) return least;
  if (*this >= Rational(most)) return most;
  const Rational whole = floor();
  return whole.is_large() ? mpz_get_si(mpq_numref(whole.large_->q)) : whole.n_;
}

TensorType parts_type(const TensorType& type) {
  if (!is_complex(type.dtype)) return type;
  return {type.dtype == DType::complex64 ? DType::float32 : DType::float64, join(type.shape, Dims{2})};
}

Tensor parts_of(const Tensor& x) {
  return is_complex(x.dtype()) ? Tensor::copy_of(parts_type(x.type()), x.bytes()) : x;
}
std::int64_t progression_length(double start, double limit, double delta) {
  const auto reaches = [&](double n) {
    ExactSum rest;  // start + n·delta - limit
    rest.add(start), rest.add(n, delta), rest.add(-limit);
    return delta > 0 ? rest.sign() >= 0 : rest.sign() <= 0;
  };
  const double way = limit - start;
  double n = std::ceil(std::isfinite(way) ? way / delta : (limit / 4 - start / 4) / delta * 4);  // not far from it
  require(n < 0x1p53, "start {}, limit {} and delta {} would make {} elements", start, limit, delta, n);
  for (n = std::max(n, 0.0); n > 0 && reaches(n - 1);) --n;
  while (!reaches(n)) ++n;
  return static_cast<std::int64_t>(n);
}

Elements::Wide progression_length(Elements::Wide start, Elements::Wide limit, Elements::Wide delta) {
  const Elements::Wide way = limit - start, n = way / delta + (way % delta != 0 && (way > 0) == (delta > 0) ? 1 : 0);
  return std::max<Elements::Wide>(n, 0);
}
namespace {
void add(ExactSum& sum, const Elements& x, std::int64_t i, double sign) {
  if (x.is_floating()) return sum.add(x.number(i), sign);
  const Elements::Wide whole = x.wide(i), high = whole >> 32;
  sum.add(nearly(static_cast<std::int64_t>(high)) * 0x1p32, sign);
  sum.add(nearly(static_cast<std::int64_t>(whole - (high << 32))), sign);
}
}  // namespace
std::int64_t count_before(const Elements& list, std::int64_t first, std::int64_t n, const Elements& x, std::int64_t i,
                          bool counts_equal) {
  const auto is_before = [&](std::int64_t at) {
    ExactSum difference;  // list[at] - x[i]
    add(difference, list, first + at, 1), add(difference, x, i, -1);
    return difference.sign() < 0 || (counts_equal && difference.sign() == 0);
  };
  std::int64_t least = 0;
  for (std::int64_t most = n; least < most;) {
    const std::int64_t middle = least + (most - least) / 2;
    is_before(middle) ? least = middle + 1 : most = middle;
  }
  return least;
}
}  // namespace opref::ops
