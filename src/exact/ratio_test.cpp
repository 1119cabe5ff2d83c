// SPDX-License-Identifier: Apache-2.0
#include "exact/ratio.h"

#include <catch2/catch.hpp>

#include "exact/compensated_sum.h"
#include "exact/oracle_testing.h"

namespace opref::exact::ratio_test {
namespace {

using oracle::Random, oracle::Rational;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

RoundedReal scaled_sum(const oracle::Products& terms, double a, double b) {
  ExactSum sum;
  for (const auto& [x, w] : terms) sum.add(x, w);
  return scaled(sum, {a, b});
}

/// Also that the double knows its side, which decides what narrower formats round to.
void check(const oracle::Products& terms, double a, double b) {
  CAPTURE(oracle::described(terms), a, b);
  Rational sum = 0;
  for (const auto& [x, w] : terms) sum += Rational(x) * Rational(w);
  const Rational real = sum * Rational(a) / Rational(b);
  const RoundedReal got = scaled_sum(terms, a, b);
  CHECK(to_bits(got.nearest) == oracle::nearest_bits<double>(real));
  if (std::isfinite(got.nearest)) CHECK(got.beyond == sgn(Rational(real - Rational(got.nearest))));
  CHECK(to_bits(got.round<float>()) == oracle::nearest_bits<float>(real));
  CHECK(to_bits(got.round<Half>()) == oracle::nearest_bits<Half>(real));
}

}  // namespace

TEST_CASE("a ratio is one if nothing is scaled", "[exact][ratio]") {
  CHECK(Ratio{}.is_one());
  CHECK(Ratio{3, 3}.is_one());
  CHECK_FALSE(Ratio{1, 2}.is_one());
  CHECK_FALSE(Ratio{0, 0}.is_one());
  CHECK_FALSE(Ratio{kInfinity, kInfinity}.is_one());
}

TEST_CASE("a sum over an integer that no double holds is rounded once", "[exact][ratio]") {
  Random random(7);
  for (int i = 0; i < 3000; ++i) {
    // Half of them one beside a power of two, the nearest double of some.
    std::int64_t n = static_cast<std::int64_t>(random.bits() >> random.in(1, 11)) | 1;
    if (random.one_in(2)) n = std::int64_t{2 * random.in(0, 1) - 1} + (std::int64_t{1} << random.in(54, 62));
    if (random.one_in(2)) n = -n;
    const std::int64_t a = random.one_in(2) ? 1 : random.in(-9, 9);
    const double x = random.one_in(3)
                         ? std::ldexp(static_cast<double>(random.in(1, 9)), static_cast<int>(random.in(-1070, 1000)))
                         : random.sign() * static_cast<double>(random.bits() >> 11);
    const Rational real =
        Rational(x) * Rational(mpz_class(static_cast<long>(a))) / Rational(mpz_class(static_cast<long>(n)));
    CAPTURE(x, a, n);
    ExactSum sum;
    sum.add(x);
    const RoundedReal got = scaled(sum, Ratio(a, n));
    CHECK(to_bits(got.nearest) == oracle::nearest_bits<double>(real));
    CHECK(got.beyond == sgn(Rational(real - Rational(got.nearest))));
    CompensatedSum estimate;
    estimate.add(x);
    estimate.scale(Ratio(a, n));
    if (const auto bracket = estimate.bracket()) {
      CHECK((Rational(bracket->value) + Rational(bracket->low) <= real));
      CHECK((Rational(bracket->value) + Rational(bracket->high) >= real));
    }
  }
}

TEST_CASE("a scaled sum is rounded once", "[exact][ratio]") {
  check({{1, 1}}, 1, 3);
  check({{-1, 1}}, 2, 3);
  check({{1, 1}}, -2, 3);
  check({{1, 1}, {0x1p-24, 1}}, 5, 5 * 0x1p100);  // a midpoint of float, which double holds
  check({{3, 1}, {3 * 0x1p-53, 1}}, 1, 3);        // a midpoint of double: 1 + 2^-53
  check({{3, 1}, {3 * 0x1p-53, 1}, {0x1p-1074, 0x1p-1074}}, 1, 3);
  check({{3, 1}, {3 * 0x1p-53, 1}, {-0x1p-1074, 0x1p-1074}}, 1, 3);
  // Far from each other: what is beyond the midpoint is 2^-2148 of 2^900.
  check({{0x1p900, 1}, {0x1p876, 1}, {0x1p-1074, 0x1p-1074}}, 1, 0x1p1000);
  check({{0x1p900, 1}, {0x1p876, 1}, {0x1p-1074, 0x1p-1074}}, 0x1p-1000, 0x1p-70);
  // The smallest numbers, and the largest: halves of the smallest double, the threshold of infinity.
  for (const double a : {1.0, 3.0})
    for (const double tail : {0.0, 0x1p-1074, -0x1p-1074}) {
      check({{0x1p-1074, 1}, {0x1p-1074, tail}}, a, 2);
      check({{0x1p-1074, 0x1p-1074}, {0x1p-1074, tail}}, a * 0x1p1000, 0x1p-73);
      check({{0x1.fffffffffffffp1023, 0x1p1000}, {0x1p970, 0x1p1000}, {tail, 1}}, a, a * 0x1p1000);
    }
  check({{0x1.8p1023, 0x1.8p1023}}, 0x1p1023, 0x1p-1074);
  check({{0x1p-1074, -0x1p-1074}}, 0x1p-1074, 0x1p1023);
}

TEST_CASE("a scaled sum of the smallest products, beside a midpoint by less than the grid holds", "[exact][ratio]") {
  Random random(19);
  int cases = 0;
  while (cases < 20) {
    // odd·b = a·2^54 ± 1, where odd has 54 bits, a and b have 53: a/b is beside a midpoint by 2^-107 of it.
    const std::uint64_t odd = (random.bits() >> 10) | (std::uint64_t{1} << 53) | 1;
    std::uint64_t inverse = odd;  // modulo 2^64, by Newton's steps from 3 bits on
    for (int step = 0; step < 5; ++step) inverse *= 2 - odd * inverse;
    const bool is_below = random.one_in(2);
    const std::uint64_t b = (is_below ? inverse : -inverse) << 10 >> 10;
    if (b >> 52 != 1) continue;
    const mpz_class product = mpz_class(static_cast<unsigned long>(odd)) * mpz_class(static_cast<unsigned long>(b));
    const mpz_class a = (product + (is_below ? -1 : 1)) >> 54;
    check({{0x1p-1074, 0x1p-1074}}, std::ldexp(a.get_d(), 900), std::ldexp(static_cast<double>(b), -300));
    ++cases;
  }
}

TEST_CASE("a scaled sum of anything equals the rational one", "[exact][ratio]") {
  Random random(3);
  const auto number = [&](int range) {
    const double x =
        std::ldexp(random.sign() * (1 + std::abs(random.normal())), static_cast<int>(random.in(-range, range)));
    return random.one_in(4)
               ? std::ldexp(static_cast<double>(random.in(1, 9)), static_cast<int>(random.in(-range, range)))
               : x;
  };
  for (int i = 0; i < 2000; ++i) {
    const int range = random.of(std::vector<int>{5, 60, 500, 1015});
    oracle::Products terms;
    for (std::int64_t n = random.in(1, 4); n > 0; --n) terms.emplace_back(number(range), number(range));
    const double a = number(range), b = number(range);
    check(terms, a, b);
    // A midpoint of double, or a number beside it: terms·b is what the sum is, a what it is divided by.
    const double m = number(std::min(range, 900)), half_place = std::ldexp(1.0, std::ilogb(m) - 53);
    check({{m, b}, {half_place, b}, {random.of(std::vector<double>{0, 0, 0x1p-1074, -0x1p-1000}), number(5)}}, 1, b);
  }
}

TEST_CASE("a scaled sum that is no finite number, or no finite ratio", "[exact][ratio]") {
  const auto is = [](const oracle::Products& terms, double a, double b, double want) {
    const RoundedReal got = scaled_sum(terms, a, b);
    CHECK(to_bits(got.nearest) == to_bits(want));
    CHECK(got.beyond == 0);
  };
  is({{1, 1}, {-1, 1}}, 1, 3, 0);
  is({{1, 1}, {-1, 1}}, -1, 3, 0);
  is({{-1, 1}}, 0, 3, 0);
  is({{kInfinity, -1}}, 1, 3, -kInfinity);
  is({{0x1p-1074, 0x1p-1074}}, kInfinity, 1, kInfinity);  // though its nearest double is 0
  is({{-1, 1}}, kInfinity, 1, -kInfinity);
  is({{-1, 1}}, 1, 0, -kInfinity);
  is({{1, 1}}, 1, kInfinity, 0);
  for (const auto& [a, b] : oracle::Products{{1, 0}, {kInfinity, 1}, {0, kInfinity}})
    if (b != kInfinity) CHECK(std::isnan(scaled_sum({{1, 1}, {-1, 1}}, a, b).nearest));  // 0/0, 0·Inf
  CHECK(std::isnan(scaled_sum({{1, 1}}, std::numeric_limits<double>::quiet_NaN(), 1).nearest));
}

}  // namespace opref::exact::ratio_test
