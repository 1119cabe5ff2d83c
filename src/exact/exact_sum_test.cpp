// SPDX-License-Identifier: Apache-2.0
#include "exact/exact_sum.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "exact/rounding.h"

namespace opref::exact::exact_sum_test {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kTiny = 0x1p-1074;

/// The sum of plain terms, rounded.
template <class T>
double rounded(std::initializer_list<double> terms) {
  ExactSum sum;
  for (const double term : terms) sum.add(term);
  return widen(sum.round<T>());
}

template <class T>
int exponent_of_last_place_at_one() {
  return 1 - Format<T>::precision;
}
template <class T>
double largest() {
  return std::ldexp(2 - std::ldexp(1.0, 1 - Format<T>::precision), Format<T>::max_exponent);
}
template <class T>
double smallest() {
  return std::ldexp(1.0, Format<T>::min_exponent - Format<T>::precision + 1);
}

TEMPLATE_TEST_CASE("ExactSum loses nothing to cancellation", "[exact][exact_sum]", Half, BFloat16, float, double) {
  CHECK(rounded<TestType>({1e8, 1, -1e8}) == 1);
  CHECK(rounded<TestType>({0x1p53, 1, -0x1p53}) == 1);
  CHECK(rounded<TestType>({1, 1e300, -1e300, 1e-300, -1}) == (std::is_same_v<TestType, double> ? 1e-300 : 0));
  CHECK(rounded<TestType>({0x1p1023, 0x1p1023, 3, -0x1p1023, -0x1p1023}) == 3);
  CHECK(rounded<TestType>({-5, 0x1p40, -0x1p40}) == -5);
}

// 1 + 2^-p is halfway between 1 and the next number, 1 + 3·2^-p between that and the one after it.
TEMPLATE_TEST_CASE("ExactSum decides midpoints by the last bit of the sum", "[exact][exact_sum]", Half, BFloat16, float,
                   double) {
  const double place = std::ldexp(1.0, exponent_of_last_place_at_one<TestType>());
  const double big = GENERATE(0.0, 0x1p20, 0x1p500, 0x1p1023);
  const double sign = GENERATE(1.0, -1.0);
  struct Row {
    double midpoint;
    int remainder;
    double result;
  };
  const Row row = GENERATE_COPY(Row{place / 2, 0, 1}, Row{place / 2, 1, 1 + place}, Row{place / 2, -1, 1},
                                Row{3 * place / 2, 0, 1 + 2 * place}, Row{3 * place / 2, 1, 1 + 2 * place},
                                Row{3 * place / 2, -1, 1 + place});
  const double factor = GENERATE(1.0, 0x1p-32, 0x1p-90, 0x1p-200, kTiny);  // remainder: kTiny times this
  ExactSum sum;
  sum.add(sign * big);
  sum.add(sign * row.midpoint);
  sum.add(row.remainder * sign * kTiny, factor);
  sum.add(sign);
  sum.add(-sign * big);
  CHECK(widen(sum.round<TestType>()) == sign * row.result);
}

TEMPLATE_TEST_CASE("ExactSum overflows at the midpoint above the largest number", "[exact][exact_sum]", Half, BFloat16,
                   float, double) {
  const double max = largest<TestType>();
  const double half_place = std::ldexp(1.0, Format<TestType>::max_exponent - Format<TestType>::precision);
  const double sign = GENERATE(1.0, -1.0);
  ExactSum sum;
  sum.add(sign * max);
  sum.add(sign * half_place);
  CHECK(widen(sum.round<TestType>()) == sign * kInfinity);
  sum.add(-sign * kTiny, kTiny);
  CHECK(widen(sum.round<TestType>()) == sign * max);
}

TEMPLATE_TEST_CASE("ExactSum keeps the sign of what rounds to zero", "[exact][exact_sum]", Half, BFloat16, float,
                   double) {
  using Bits = BitsOf<TestType>;
  const double min = smallest<TestType>();
  const bool negative = GENERATE(false, true);
  const double sign = negative ? -1 : 1;
  const Bits sign_bits = negative ? sign_bit<TestType> : Bits{0};
  ExactSum sum;
  sum.add(sign * min, 0.5);
  CHECK(to_bits(sum.round<TestType>()) == sign_bits);
  sum.add(sign * kTiny, kTiny);
  CHECK(to_bits(sum.round<TestType>()) == static_cast<Bits>(sign_bits | 1));
  sum.clear();
  sum.add(sign * kTiny, kTiny);
  CHECK(to_bits(sum.round<TestType>()) == sign_bits);
  sum.add(-sign * kTiny, kTiny);
  CHECK(to_bits(sum.round<TestType>()) == 0);
}

TEMPLATE_TEST_CASE("ExactSum gives +0 for an exact zero", "[exact][exact_sum]", Half, BFloat16, float, double) {
  const auto bits = [](std::initializer_list<double> terms) {
    ExactSum sum;
    for (const double term : terms) sum.add(term);
    return to_bits(sum.round<TestType>());
  };
  CHECK(bits({}) == 0);
  CHECK(bits({-0.0}) == 0);
  CHECK(bits({-0.0, -0.0}) == 0);
  CHECK(bits({1.5, -1.5}) == 0);
  CHECK(bits({-1e300, 1e300}) == 0);
  ExactSum products;
  products.add(-0.0, 1);
  products.add(-3, 0.0);
  CHECK(to_bits(products.round<TestType>()) == 0);
}

TEMPLATE_TEST_CASE("ExactSum treats infinities and NaN by rule", "[exact][exact_sum]", Half, BFloat16, float, double) {
  struct Row {
    std::vector<std::pair<double, double>> products;
    double result;  // NaN: quiet_nan
    int sign;
  };
  const Row row = GENERATE(  //
      Row{{{kInfinity, 1}}, kInfinity, 1}, Row{{{kInfinity, -2}}, -kInfinity, -1},
      Row{{{-kInfinity, -1}, {1, -1e300}}, kInfinity, 1}, Row{{{1, 1}, {-kInfinity, kInfinity}}, -kInfinity, -1},
      Row{{{kInfinity, 1}, {kInfinity, 3}}, kInfinity, 1}, Row{{{kInfinity, 1}, {kInfinity, -3}}, kNan, 0},
      Row{{{kInfinity, 0.0}}, kNan, 0}, Row{{{-0.0, kInfinity}, {1, 1}}, kNan, 0}, Row{{{kNan, 1}}, kNan, 0},
      Row{{{1, kNan}, {2, 2}}, kNan, 0}, Row{{{kNan, 0.0}}, kNan, 0}, Row{{{kInfinity, 1}, {kNan, 1}}, kNan, 0},
      Row{{{-kNan, kInfinity}}, kNan, 0}, Row{{{1e300, 1e300}, {kInfinity, -1e-300}}, -kInfinity, -1});
  ExactSum sum;
  for (const auto& [a, b] : row.products) sum.add(a, b);
  CHECK(sum.sign() == row.sign);
  const TestType result = sum.round<TestType>();
  if (std::isnan(row.result))
    CHECK(to_bits(result) == to_bits(quiet_nan<TestType>()));
  else
    CHECK(widen(result) == row.result);
  sum.clear();
  sum.add(2, 3);
  CHECK(widen(sum.round<TestType>()) == 6);
}

TEST_CASE("ExactSum counts the smallest and the largest products", "[exact][exact_sum]") {
  const int terms = 1 << 12;
  SECTION("2^-2148, 2^12 times, is 2^-2136") {
    ExactSum sum;
    for (int i = 0; i < terms; ++i) sum.add(kTiny, kTiny);
    sum.add(-kTiny, 0x1p-1062);
    CHECK(sum.sign() == 0);
    sum.add(-kTiny, kTiny);
    CHECK(sum.sign() == -1);
    sum.add(kTiny, kTiny);
    sum.add(kTiny, kTiny);
    CHECK(sum.sign() == 1);
  }
  SECTION("the largest double times itself, 2^12 times") {
    const double max = std::numeric_limits<double>::max();
    ExactSum sum;
    for (int i = 0; i < terms; ++i) sum.add(-max, max);
    CHECK(sum.sign() == -1);
    CHECK(sum.round<double>() == -kInfinity);
    sum.add(kTiny, kTiny);
    for (int i = 0; i < terms / 2; ++i) {
      sum.add(max, max / 2);
      sum.add(max, max / 2);
      sum.add(max, max);
    }
    CHECK(sum.sign() == 1);
    CHECK(to_bits(sum.round<double>()) == 0);  // 2^-2148 is left
    sum.add(-kTiny, kTiny);
    CHECK(sum.sign() == 0);
  }
}

// A product takes at most nine bits of its highest digit of 32, so it needs 2^23 of them to leave it.
TEST_CASE("ExactSum grows with the number of terms", "[exact][exact_sum]") {
  const double significand = 0x1.fffffffffffffp0;
  const double b = std::ldexp(significand, 7);  // the product's lowest bit is the last one of a digit
  const int terms = 9 << 20;
  ExactSum sum;
  for (int i = 0; i < terms; ++i) sum.add(-significand, b);
  CHECK(sum.sign() == -1);
  CHECK(sum.round<double>() == -0x1.1ffffffffffffp32);  // 9·2^20·2^9·(1 - 2^-53)^2
  sum.add(significand, b * 0x1p23);
  sum.add(significand, b * 0x1p20);
  CHECK(sum.sign() == 0);
}

TEST_CASE("ExactSum goes on after it was read", "[exact][exact_sum]") {
  ExactSum sum;
  sum.add(-1, 0x1p-1000);
  for (int i = 0; i < 1000; ++i) {
    REQUIRE(sum.sign() == -1);
    REQUIRE(sum.round<double>() == -0x1p-1000);
  }
  sum.add(0x1p-1000);
  sum.add(-7);
  REQUIRE(sum.sign() == -1);
  sum.add(8);
  CHECK(sum.round<float>() == 1);
}

TEST_CASE("ExactSum clears also what waits", "[exact][exact_sum]") {
  const int terms = GENERATE(1, 63, 64, 65, 200);
  ExactSum sum;
  for (int i = 0; i < terms; ++i) sum.add(i % 2 == 0 ? 1e300 : -1e-300, 1e5);
  sum.clear();
  CHECK(sum.sign() == 0);
  for (int i = 0; i < terms; ++i) sum.add(3);
  CHECK(sum.round<double>() == 3 * terms);
}

using Int128 = __int128;
constexpr int kScale = 60;  // the oracle's numbers are integers times 2^-60

/// `number`·2^-60 rounded to `precision` bits by division, ties to even, as a double.
double round_by_division(Int128 number, int precision, int min_exponent, int max_exponent) {
  const bool negative = number < 0;
  const Int128 magnitude = negative ? -number : number;
  int last_place = min_exponent - precision + 1;
  while (last_place + kScale < 0 || magnitude / (Int128{1} << (last_place + kScale)) >= Int128{1} << precision) {
    if (last_place + kScale < 0 && magnitude < Int128{1} << precision) break;  // few enough bits as it is
    ++last_place;
  }
  double result = 0;
  if (last_place + kScale <= 0) {
    result = std::ldexp(static_cast<double>(magnitude), -kScale);
  } else {
    const Int128 unit = Int128{1} << (last_place + kScale);
    Int128 quotient = magnitude / unit;
    const Int128 twice = magnitude % unit * 2;
    if (twice > unit || (twice == unit && quotient % 2 == 1)) ++quotient;
    result = std::ldexp(static_cast<double>(quotient), last_place);
  }
  if (result >= std::ldexp(1.0, max_exponent + 1)) result = kInfinity;
  return negative ? -result : result;
}

/// Adds number·2^-60 as products that are each exact.
void add_integer(ExactSum& sum, Int128 number) {
  const double sign = number < 0 ? -1 : 1;
  auto rest = static_cast<unsigned __int128>(number < 0 ? -number : number);
  for (int shift = -kScale; rest != 0; shift += 40, rest >>= 40)
    sum.add(sign * static_cast<double>(static_cast<std::uint64_t>(rest & 0xffffffffff)), std::ldexp(1.0, shift));
}

TEMPLATE_TEST_CASE("ExactSum agrees with 128-bit integers", "[exact][exact_sum]", Half, BFloat16, float, double) {
  using F = Format<TestType>;
  std::mt19937_64 random(1);
  const auto below = [&random](std::uint64_t limit) { return static_cast<std::int64_t>(random() % limit); };
  ExactSum sum;
  int differences = 0;
  for (int round = 0; round < 4000; ++round) {
    sum.clear();
    Int128 exact = 0;
    const std::int64_t terms = below(100);
    const auto spread = static_cast<std::uint64_t>(below(60) + 1);
    for (std::int64_t i = 0; i < terms; ++i) {
      const std::int64_t a = below(1 << 20) - (1 << 19), b = below(1 << 20) - (1 << 18);
      const int shift = static_cast<int>(below(spread));
      exact += Int128{a} * b * (Int128{1} << shift);
      sum.add(static_cast<double>(a), std::ldexp(static_cast<double>(b), shift - kScale));
    }
    if (round % 4 != 0) {  // move the sum to the middle between two numbers of the type, or one unit beside it
      const int bits = F::precision + 1;
      const Int128 odd = (Int128{1} << (bits - 1)) + 2 * below(std::uint64_t{1} << (bits - 2)) + 1;
      const Int128 target = (odd << below(70 - bits)) + below(3) - 1;
      const Int128 wanted = below(2) == 0 ? target : -target;
      add_integer(sum, wanted - exact);
      exact = wanted;
    }
    const double expected = round_by_division(exact, F::precision, F::min_exponent, F::max_exponent);
    if (widen(sum.round<TestType>()) != expected || sum.sign() != (exact > 0) - (exact < 0)) ++differences;
  }
  CHECK(differences == 0);
}

}  // namespace

TEST_CASE("ExactSum adds multiples of another sum", "[exact][exact_sum]") {
  // (2^100 + 1 - 2^-1074)·(3·2^-60) - 3·2^40 - 3·2^-60 = -3·2^-1134
  ExactSum other, sum;
  for (const double term : {0x1p100, 1.0, -kTiny}) other.add(term);
  sum.add_multiple(other, 0x3p-60);
  sum.add(-0x3p40);
  sum.add(-0x3p-60);
  CHECK(sum.sign() == -1);
  sum.add(0x3p-60, kTiny);
  CHECK(sum.sign() == 0);
  sum.add_multiple(other, -1);
  CHECK(sum.round<double>() == -0x1p100);
  sum.add_multiple(other, 1);
  CHECK(sum.sign() == 0);
  // What is far below its digits is lost, and little of what is at their end.
  other.clear();
  other.add(-kTiny, kTiny);
  sum.add_multiple(other, 0x1p-500);
  sum.add(0x1p-1060, 0x1p-1074);
  CHECK(sum.sign() == 1);
  sum.add_multiple(other, 0x1p13);
  sum.add_multiple(other, 0x1.8p13);
  CHECK(sum.sign() == -1);
  // Products of sums whose digits reach over many places, against plain products.
  std::mt19937_64 random(4);
  for (int i = 0; i < 200; ++i) {
    ExactSum all, plain, multiple;
    const double factor = std::ldexp(static_cast<double>(static_cast<std::int64_t>(random())), -70);
    for (int t = 0; t < 20; ++t) {
      const double term =
          std::ldexp(static_cast<double>(static_cast<std::int64_t>(random())), static_cast<int>(random() % 1600) - 800);
      all.add(term);
      plain.add(term, -factor);
    }
    multiple.add_multiple(all, factor);
    const auto nearest = multiple.round<double>();
    CHECK(nearest != 0);
    plain.add_multiple(all, factor);
    CHECK(plain.sign() == 0);
  }
}

}  // namespace opref::exact::exact_sum_test
