// SPDX-License-Identifier: Apache-2.0
#include "exact/integer_sum.h"

#include <gmpxx.h>

#include <catch2/catch.hpp>

#include "core/error.h"
#include "exact/oracle_testing.h"

namespace opref::exact::integer_sum_test {
namespace {

using oracle::Random, oracle::Rational;
using Rounding = Integers::Rounding;

mpz_class integer(std::int64_t x) { return mpz_class(std::to_string(x)); }
mpz_class integer(std::uint64_t x) { return mpz_class(std::to_string(x)); }

/// The sum and what it must be.
struct Both {
  IntegerSum sum;
  mpz_class exact = 0;
  template <class I>
  void add(I x) {
    sum.add(IntegerSum::Wide{x});
    exact += integer(x);
  }
  template <class I>
  void add(I a, I b) {
    sum.add(a, b);
    exact += integer(a) * integer(b);
  }
};

mpz_class floor_of(const Rational& q) {
  mpz_class result;
  mpz_fdiv_q(result.get_mpz_t(), q.get_num_mpz_t(), q.get_den_mpz_t());
  return result;
}
mpz_class rounded(const Rational& q, Rounding rounding, std::int64_t zero_point) {
  if (rounding == Rounding::nearest_with_zero_point)
    return rounded(q + Rational(integer(zero_point)), Rounding::nearest, 0) - integer(zero_point);
  if (rounding == Rounding::truncate) return q < 0 ? mpz_class(-floor_of(-q)) : floor_of(q);
  const mpz_class below = floor_of(q);
  const Rational rest = q - Rational(below);
  const bool up = rest > Rational(1, 2) || (rest == Rational(1, 2) && mpz_odd_p(below.get_mpz_t()) != 0);
  return up ? mpz_class(below + 1) : below;
}

/// The low bits of the element that the definition of Integers gives.
std::uint64_t expected(const mpz_class& sum, DType dtype, const Integers& how, const Ratio& ratio) {
  const DTypeInfo& type = info(dtype);
  const bool is_signed = type.kind == Kind::signed_integer;
  const mpz_class span = mpz_class(1) << type.bits, top = (is_signed ? mpz_class(span / 2) : span) - 1;
  const mpz_class bottom = is_signed ? mpz_class(-span / 2) : mpz_class(0);
  mpz_class y = sum;
  if (how.rounding != Rounding::wrap && how.rounding != Rounding::saturate)
    y = rounded(Rational(sum) * Rational(ratio.a) / (Rational(ratio.b) + Rational(ratio.b_rest)), how.rounding,
                how.zero_point);
  y += integer(how.zero_point);
  if (how.rounding != Rounding::wrap) y = y < bottom ? bottom : y > top ? top : y;
  mpz_class low;
  mpz_fdiv_r_2exp(low.get_mpz_t(), y.get_mpz_t(), static_cast<mp_bitcnt_t>(type.bits));
  return std::stoull(low.get_str());
}

std::uint64_t low_bits(std::uint64_t bits, DType dtype) {
  return bits & (~std::uint64_t{0} >> (64 - info(dtype).bits));
}

void check(const Both& both, DType dtype, const Integers& how, const Ratio& ratio = {}) {
  CAPTURE(both.exact.get_str(), to_text(dtype), static_cast<int>(how.rounding), how.zero_point, ratio.a, ratio.b,
          ratio.b_rest);
  CHECK(low_bits(both.sum.round(dtype, how, ratio), dtype) == expected(both.exact, dtype, how, ratio));
}

constexpr DType kTypes[] = {DType::int8,  DType::uint8,  DType::int16, DType::uint16,
                            DType::int32, DType::uint32, DType::int64, DType::uint64};

Both random_sum(Random& random) {
  Both both;
  const auto bits = random.of(std::vector<int>{4, 20, 50, 62});
  const auto any = [&] { return static_cast<std::int64_t>(random.bits()) >> (63 - bits); };
  for (std::int64_t n = random.in(0, 6); n > 0; --n) {
    if (random.one_in(3)) both.add(any());
    if (random.one_in(3)) both.add(any(), any());
    if (random.one_in(6)) both.add(random.bits());
    if (random.one_in(6)) both.add(random.bits(), random.bits());
  }
  return both;
}

}  // namespace

TEST_CASE("IntegerSum: sums that wrap or saturate, of any size", "[exact][integer_sum]") {
  Random random(1);
  for (int i = 0; i < 2000; ++i) {
    const Both both = random_sum(random);
    for (const DType dtype : kTypes) {
      check(both, dtype, {});
      check(both, dtype, {Rounding::saturate});
      check(both, dtype, {Rounding::saturate, random.in(-200, 200)});
    }
  }
}

TEST_CASE("IntegerSum: sums times a ratio, rounded once", "[exact][integer_sum]") {
  Random random(2);
  for (int i = 0; i < 4000; ++i) {
    const Both both = random_sum(random);
    const auto factor = [&] {
      if (random.one_in(3)) return static_cast<double>(random.in(1, 12));
      if (random.one_in(8))
        return std::ldexp(1.0 + 0x1p-52 * static_cast<double>(random.in(0, 9)),
                          static_cast<int>(random.in(-1022, 1023)));
      return std::ldexp(1 + std::abs(random.normal()), static_cast<int>(random.in(-70, 10)));
    };
    const Ratio ratio{factor(), factor()};
    for (const Rounding rounding : {Rounding::truncate, Rounding::nearest, Rounding::nearest_with_zero_point})
      check(both, random.of(kTypes), {rounding, random.of(std::vector<std::int64_t>{0, 0, 3, -128, 255})}, ratio);
  }
}

TEST_CASE("IntegerSum: sums over an integer that no double holds", "[exact][integer_sum]") {
  Random random(3);
  for (int i = 0; i < 2000; ++i) {
    const std::int64_t n = (static_cast<std::int64_t>(random.bits() >> random.in(1, 9)) | 1) + (std::int64_t{1} << 53);
    Both both;  // n/2, n, 3n/2 … and their neighbours
    const std::int64_t half = n / 2, halves = random.in(-2, 2);
    both.add(halves * half);
    both.add(halves + random.in(-1, 1));
    for (const Rounding rounding : {Rounding::truncate, Rounding::nearest, Rounding::nearest_with_zero_point})
      check(both, random.of(kTypes), {rounding, random.of(std::vector<std::int64_t>{0, 3})}, Ratio(1, n));
  }
}

TEST_CASE("IntegerSum: ties, and numbers that doubles do not tell from them", "[exact][integer_sum]") {
  // (2^53 + 1)/2^54 is above one half, which a double of the sum is not.
  for (const std::int64_t beside : {-1, 0, 1})
    for (const std::int64_t half : {1, 3, -1, -3, 129}) {
      Both both;
      both.add(half * (std::int64_t{1} << 53));
      both.add(beside);
      for (const Rounding rounding : {Rounding::truncate, Rounding::nearest, Rounding::nearest_with_zero_point}) {
        check(both, DType::int8, {rounding}, {1, 0x1p54});
        check(both, DType::uint8, {rounding, 7}, {0x1.8p-300, 0x1.8p-246});
        check(both, DType::int64, {rounding}, {0x1p-700, 0x1p-646});
        check(both, DType::int64, {rounding}, {0x1p-1074, 0x1p-1020});
        check(both, DType::int64, {rounding}, {0x1p969, 0x1p1023});
      }
    }
  Both unsigned_mean;
  unsigned_mean.add(std::uint64_t{1} << 63);
  CHECK(unsigned_mean.sum.round(DType::uint64, {Rounding::truncate}, {1, 2}) == std::uint64_t{1} << 62);
  CHECK(unsigned_mean.sum.round(DType::uint64, {Rounding::saturate}) == std::uint64_t{1} << 63);
}

TEST_CASE("integer sums: ties of ratios that leave 128 bits", "[exact][integer_sum]") {
  // 3·2^125 / 2^126 is 1.5; the other one is 2.5.
  for (const auto& [multiple, even, odd_zero_point] : {std::array{3, 2, 2}, std::array{5, 2, 4}}) {
    IntegerSum sum;
    for (int k = 0; k < multiple; ++k) sum.add(IntegerSum::Wide{1} << 125);
    const Ratio ratio{1, 0x1p126};
    CHECK(sum.round(DType::uint8, {Rounding::nearest}, ratio) == static_cast<std::uint64_t>(even));
    CHECK(sum.round(DType::uint8, {Rounding::nearest, 1}, ratio) == static_cast<std::uint64_t>(even + 1));
    CHECK(sum.round(DType::uint8, {Rounding::nearest_with_zero_point, 1}, ratio) ==
          static_cast<std::uint64_t>(odd_zero_point));
  }
}

TEST_CASE("IntegerSum: a ratio that is none, and one that nothing rounds", "[exact][integer_sum]") {
  IntegerSum sum;
  sum.add(IntegerSum::Wide{1});
  for (const double bad :
       {0.0, -1.0, std::numeric_limits<double>::infinity(), std::numeric_limits<double>::quiet_NaN()}) {
    CHECK_THROWS_AS(sum.round(DType::int8, {Rounding::nearest}, {bad, 1}), Error);
    CHECK_THROWS_AS(sum.round(DType::int8, {Rounding::nearest}, {1, bad}), Error);
  }
  CHECK_THROWS_AS(sum.round(DType::int8, {Rounding::wrap}, {1, 2}), Error);
  CHECK_THROWS_AS(sum.round(DType::int8, {Rounding::saturate}, {1, 2}), Error);
}

}  // namespace opref::exact::integer_sum_test
