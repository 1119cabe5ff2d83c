// SPDX-License-Identifier: Apache-2.0
#include "exact/root.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <limits>
#include <thread>
#include <vector>

#include "core/error.h"
#include "exact/oracle_testing.h"
#include "exact/rounding.h"
#include "system/memory_testing.h"

namespace opref::exact::root_test {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

template <class T>
double norm(const std::vector<double>& window, double p, const Ratio& scale = {}) {
  return widen(lp_norm<T>(window, p, scale));
}

Fault fault_of(double p) {
  try {
    require_supported_power(p);
  } catch (const Error& error) {
    return error.fault();
  }
  return Fault::internal;
}

template <class T>
double largest() {
  return widen(from_bits<T>(infinity_bits<T> - 1));
}

}  // namespace

TEST_CASE("powers: integers to 2^20, others to 1024", "[exact][root]") {
  for (const double p : {1.0, 2.0, 0.5, 1e-300, 0x1p-1074, 1023.5, 1025.0, 0x1p20}) {
    CAPTURE(p);
    CHECK_NOTHROW(require_supported_power(p));
  }
  for (const double p : {0x1p20 + 1, 1024.5, 1e300}) {
    CAPTURE(p);
    CHECK(fault_of(p) == Fault::unsupported);
  }
  for (const double p : {0.0, -0.0, -1.0, kInfinity, -kInfinity, std::nan("")}) {
    CAPTURE(p);
    CHECK(fault_of(p) == Fault::invalid);
  }
  CHECK_THROWS_AS(lp_norm<float>(std::vector<double>{1}, 0), Error);
}

// The norm of one number is its magnitude, whatever p: also where x^p leaves the exponents that MPFR starts with.
TEMPLATE_TEST_CASE("the norm of one number is its magnitude", "[exact][root]", Half, BFloat16, float, double) {
  for (const double p : {1.0, 2.0, 3.0, 64.0, 1000.0, 0x1p20, 0.5, 1.7, 1023.5, 1e-5, 1e-300}) {
    for (const std::uint64_t bits :
         {1UL, 2UL, 5UL, std::uint64_t{infinity_bits<TestType>} / 2, std::uint64_t{infinity_bits<TestType>} / 2 + 1,
          std::uint64_t{infinity_bits<TestType>} - 1}) {
      const double x = widen(from_bits<TestType>(static_cast<BitsOf<TestType>>(bits)));
      CAPTURE(p, x);
      CHECK(norm<TestType>({x}, p) == x);
      CHECK(norm<TestType>({0, -x, -0.0}, p) == x);
    }
  }
}

TEMPLATE_TEST_CASE("norms overflow at the midpoint above the largest number", "[exact][root]", Half, BFloat16, float,
                   double) {
  const double max = largest<TestType>();
  const double half_place = std::ldexp(1.0, Format<TestType>::max_exponent - Format<TestType>::precision);
  CHECK(norm<TestType>({max, half_place}, 1) == kInfinity);
  CHECK(norm<TestType>({max, std::nextafter(half_place, 0)}, 1) == max);
  CHECK(norm<TestType>({max, max}, 2) == kInfinity);
  CHECK(norm<TestType>({max, max}, 3) == kInfinity);
  CHECK(norm<TestType>({max, max}, 0.5) == kInfinity);
  // max·2^(1/p) exceeds max by a factor of about 1 + 0.69/p: less than half a place where p is large enough.
  CHECK(norm<TestType>({max, max}, 0x1p20) == (Format<TestType>::precision > 20 ? kInfinity : max));
  CHECK(norm<TestType>({max, 1}, 2) == max);
  CHECK(norm<TestType>({max, 1}, 40) == max);
}

// 65520 is halfway between the largest float16, 65504, and what would follow it.
TEST_CASE("ties at the overflow threshold and among subnormal numbers", "[exact][root]") {
  CHECK(norm<Half>({39312, 52416}, 2) == kInfinity);  // 3·13104, 4·13104: 65520
  CHECK(norm<Half>({39312, std::nextafter(52416, 0)}, 2) == 65504);
  CHECK(norm<Half>({32760, 43680, 54600}, 3) == kInfinity);  // 3, 4, 5 times 10920: 65520
  CHECK(norm<Half>({32760, 43680, std::nextafter(54600, 0)}, 3) == 65504);
  CHECK(norm<Half>({0x1p-25}, 2) == 0);
  CHECK(norm<Half>({std::nextafter(0x1p-25, 1)}, 2) == 0x1p-24);
  CHECK(norm<Half>({0x3p-25}, 2) == 0x1p-23);
  CHECK(norm<Half>({0x1p-25}, 3) == 0);
  CHECK(norm<Half>({0x3p-25}, 3) == 0x1p-23);
  CHECK(norm<Half>({0x3p-25}, 0.5) == 0x1p-23);
  CHECK(norm<Half>({0x3p-25}, 1e-5) == 0x1p-23);  // of so many places that only x = m can be a tie
}

TEST_CASE("ties of powers that are no integers", "[exact][root]") {
  // n equal numbers have the norm n^(1/p)·x. 2049 lies between the float16 numbers 2048 and 2050, 2051 after 2050.
  CHECK(norm<Half>(std::vector<double>(8, 2049.0 / 64), 0.5) == 2048);
  CHECK(norm<Half>(std::vector<double>(8, 2051.0 / 64), 0.5) == 2052);
  CHECK(norm<Half>(std::vector<double>(8, std::nextafter(2049.0 / 64, 100)), 0.5) == 2050);
  CHECK(norm<Half>(std::vector<double>(8, std::nextafter(2051.0 / 64, 0)), 0.5) == 2050);
  // 8 = 4^(3/2): n^(1/p) = 4.
  CHECK(norm<Half>(std::vector<double>(8, 2049.0 / 4), 1.5) == 2048);
  CHECK(norm<Half>(std::vector<double>(8, std::nextafter(2049.0 / 4, 1000)), 1.5) == 2050);
  // √(m/16) + √(9m/16) = √m for m = 2049, and with the scale 1/2: √(m/4) + √(9m/4) = 2√m.
  CHECK(norm<Half>({2049.0 / 16, 2049.0 / 16 * 9}, 0.5) == 2048);
  CHECK(norm<Half>({2049.0 / 16, std::nextafter(2049.0 / 16 * 9, 2049)}, 0.5) == 2050);
  CHECK(norm<Half>({2049.0 / 4, 2049.0 / 4 * 9}, 0.5, {1, 2}) == 2048);
  CHECK(norm<Half>({2049.0 / 4, std::nextafter(2049.0 / 4 * 9, 9999)}, 0.5, {1, 2}) == 2050);
}

// Python 3.11, decimal of 60 digits, rounded to binary64.
TEST_CASE("norms of high and of broken powers", "[exact][root]") {
  CHECK(norm<double>({10, 10}, 1000) == 0x1.4038cd639813bp3);
  CHECK(norm<double>({3, 3}, 0x1p20) == 0x1.800010a2b29b8p1);
  CHECK(norm<double>({1, 2, 3}, 2.5) == 0x1.bab21d9715fb8p1);
  CHECK(norm<double>({1, 2, 3}, 0.1) == 0x1.a77340c9884cfp16);
  CHECK(norm<double>({0x1p-1000, 0x1p-1000}, 700.5) == 0x1.0040e1545fa0cp-1000);
  CHECK(norm<double>({1, 2, 3}, 0.001) == kInfinity);  // about 2.4e477
  CHECK(norm<double>({1, 2}, 0x1p-1074) == kInfinity);
  CHECK(norm<double>({1, 2}, 0x1p-1074, {1, 3}) == 0);
  CHECK(norm<double>({2, 8}, 1e-300, {1, 2}) == 4);  // towards the geometric mean
}

// Python 3.11, fractions: the sum exceeds the cube of the midpoint below this number by 2^-129 of it, which enclosures
// of 128 bits cannot tell.
TEST_CASE("norms beyond the first precision", "[exact][root]") {
  const std::vector<double> window = {6.933612743506376, 6.933612743506376, 6.933612743506377, 1.6298134263824548e-05,
                                      1.1145237956051243e-10};
  CHECK(norm<double>(window, 3) == 0x1.4000000000018p3);
}

TEST_CASE("a scale of the sum", "[exact][root]") {
  CHECK(norm<float>({3, 3}, 2, {4, 2}) == 6);
  CHECK(norm<double>({1, 1, 1}, 1, {4, 3}) == 4);
  CHECK(norm<float>({1, 1, 1}, 1, {1, 9}) == 1.0F / 3);
  CHECK(norm<Half>({683}, 1, {3, 1}) == 2048);  // 2049
  CHECK(norm<Half>({2051}, 3, {1, 1}) == 2052);
  CHECK(norm<Half>({std::nextafter(683, 1000)}, 1, {3, 1}) == 2050);
}

// p = a/2^b: x^p against v by x^a and v^(2^b), the root against v by x^(2^b) and v^a.
TEMPLATE_TEST_CASE("powers and roots are those of rationals, rounded once", "[exact][root]", Half, BFloat16, float,
                   double) {
  using oracle::Rational;
  const int rounds = kSanitized ? 30 : 300;
  std::mt19937_64 random(3);
  const auto check = [&](double x, unsigned long a, unsigned b) {
    const double p = std::ldexp(static_cast<double>(a), -static_cast<int>(b));
    const Rational exact(x), to_a = oracle::power(exact, a), to_two = oracle::power(exact, 1UL << b);
    CAPTURE(x, p);
    CHECK(to_bits(power<TestType>(x, p)) ==
          oracle::nearest_bits<TestType>([&](const Rational& v) { return cmp(to_a, oracle::power(v, 1UL << b)); }));
    CHECK(to_bits(root<TestType>(x, p)) ==
          oracle::nearest_bits<TestType>([&](const Rational& v) { return cmp(to_two, oracle::power(v, a)); }));
    if (b > 0) return;
    CHECK(to_bits(power<TestType>(-x, p)) == oracle::nearest_bits<TestType>(oracle::power(-exact, a)));
  };
  for (int i = 0; i < rounds; ++i) {
    const double x =
        widen(from_bits<TestType>(static_cast<BitsOf<TestType>>(1 + random() % (infinity_bits<TestType> - 1))));
    const unsigned long a = 1 + random() % 9;
    check(x, a, 0);
    check(std::ldexp(1 + static_cast<double>(random()) * 0x1p-64, static_cast<int>(random() % 8)), a, 0);
    check(x, 2 * (random() % 5) + 1, 1 + random() % 2);
  }
  // Beside and on midpoints. Powers of these in double round on the way.
  for (int i = 0; i < rounds; ++i) {
    const double midpoint = oracle::midpoint_after<TestType>(to_bits(nearest<TestType>(1.0)) + random() % 4000).get_d();
    for (const unsigned long a : {2UL, 3UL, 5UL, 7UL}) {
      const double x = oracle::power(Rational(midpoint), a).get_d();
      for (const double near : {x, std::nextafter(x, 0), std::nextafter(x, HUGE_VAL)}) check(near, a, 0);
    }
    for (const unsigned long a : {3UL, 5UL, 7UL}) {  // whose powers are nearly midpoints
      const double x = root<double>(midpoint, static_cast<double>(a));
      for (const double near : {x, std::nextafter(x, 0), std::nextafter(x, HUGE_VAL)}) check(near, a, 0);
    }
    check(midpoint, 1, 0);
    check(midpoint * midpoint, 1, 1);
  }
}

TEST_CASE("powers and roots of what is not finite, and of negative numbers", "[exact][root]") {
  const double nan = std::nan("");
  CHECK(power<double>(kInfinity, 0.5) == kInfinity);
  CHECK(power<float>(-kInfinity, 3) == -kInfinity);
  CHECK(power<float>(-kInfinity, 1.0 / 3) == kInfinity);
  CHECK(to_bits(power<Half>(-2, 0.5)) == to_bits(quiet_nan<Half>()));
  CHECK(to_bits(power<Half>(nan, 2)) == to_bits(quiet_nan<Half>()));
  CHECK(to_bits(power<float>(-0.0, 2)) == 0);
  CHECK(widen(power<Half>(256, 2)) == kInfinity);
  CHECK(power<double>(0x1p-1074, 0x1p20) == 0);
  CHECK(root<double>(kInfinity, 3) == kInfinity);
  CHECK(std::isnan(root<double>(-kInfinity, 3)));
  CHECK(to_bits(root<Half>(-8, 3)) == to_bits(quiet_nan<Half>()));
  CHECK(to_bits(root<Half>(nan, 3)) == to_bits(quiet_nan<Half>()));
  CHECK(to_bits(root<float>(0, 3)) == 0);
}

TEST_CASE("sums of powers and their roots: the nearest double and the side", "[exact][root]") {
  using oracle::Rational;
  std::mt19937_64 random(4);
  int negative = 0, beyond = 0;
  for (int i = 0; i < 2000; ++i) {
    std::vector<double> x(random() % 5);
    for (double& element : x) {
      element = static_cast<double>(static_cast<std::int64_t>(random() % 41) - 20);
      if (i % 2 == 0) element *= 1 + static_cast<double>(random()) * 0x1p-90;
    }
    const auto p = 1 + random() % 5, q = random() % 2 == 0 ? p : p == 1 ? 1 + random() % 5 : 1;
    const Ratio scale = i % 3 == 0 ? Ratio{3, 2} : Ratio{};
    Rational sum = 0;
    for (const double element : x) sum += oracle::power(Rational(element), p);
    sum *= Rational(scale.a) / Rational(scale.b);
    const RoundedReal y = root_of_powers(x, static_cast<double>(p), static_cast<double>(q), scale);
    CAPTURE(x, p, q);
    if (sum < 0 && q != 1) {
      CHECK(std::isnan(y.nearest));
      CHECK(y.beyond == 0);
      ++negative;
      continue;
    }
    const Rational magnitude = abs(sum);
    const std::uint64_t bits =
        oracle::nearest_bits<double>([&](const Rational& v) { return cmp(magnitude, oracle::power(v, q)); });
    CHECK(to_bits(y.nearest) == (bits | (sum < 0 ? sign_bit<double> : 0)));
    CHECK(y.beyond == cmp(sum, oracle::power(Rational(y.nearest), q)));
    beyond += y.beyond != 0;
  }
  CHECK(negative > 50);
  CHECK(beyond > 500);
  // Overflow: of the sum, of the root; a square that is no double.
  CHECK(root_of_powers(std::vector{1e200, 1.0}, 2, 1).nearest == kInfinity);
  CHECK(root_of_powers(std::vector{largest<double>(), largest<double>()}, 2, 2).nearest == kInfinity);
  CHECK(root_of_powers(std::vector{largest<double>(), largest<double>()}, 2, 2).beyond == 0);
  CHECK(root_of_powers(std::vector{1e200}, 2, 2).nearest == 1e200);
  CHECK(root_of_powers(std::vector{1e200}, 2, 2).beyond == 0);
  CHECK(root_of_powers(std::vector{-1e200, 1.0}, 3, 1).nearest == -kInfinity);
}

TEST_CASE("sums of broken powers and their roots: the nearest double and the side", "[exact][root]") {
  const auto is = [](const std::vector<double>& x, double p, double q, double nearest, int beyond,
                     const Ratio& scale = {}) {
    const RoundedReal y = root_of_powers(x, p, q, scale);
    CAPTURE(x, p, q);
    CHECK(y.nearest == nearest);
    CHECK(y.beyond == beyond);
  };
  // Rational ones are known to be equal: √4 + √9, 4^2.5, their mean, 3^2, 8^(2/3) = 4, three ones to any power.
  is({4, 9}, 0.5, 1, 5, 0);
  is({4}, 2.5, 1, 32, 0);
  is({4, 9}, 0.5, 1, 2.5, 0, {1, 2});
  is({3}, 1, 0.5, 9, 0);
  is({8}, 1, 1.5, 4, 0);
  is({1, 1, 1}, 1e-5, 1, 3, 0);
  is({1, 0x1p-80}, 1, 0.5, 1, 1);
  is({1, -0x1p-80}, 1, 0.5, 1, -1);
  // √(m/16) + √(9m/16) = √m: its square is m.
  is({2049.0 / 16, 2049.0 / 16 * 9}, 0.5, 0.5, 2049, 0);
  // Python 3.11, decimal of 60 digits: √2 + √3, 1.5^(2/3), 1.5^2.5.
  is({2, 3}, 0.5, 1, 0x1.92b8ca76bc43cp+1, -1);
  is({1.5}, 1, 1.5, 0x1.4f747439b348ap+0, 1);
  is({1.5}, 2.5, 1, 0x1.60b9fd68a4554p+1, 1);
  is({4, 9}, 0x1p-1074, 1, 2, 1);
  CHECK(std::isnan(root_of_powers(std::vector{4.0, -1.0}, 0.5, 1).nearest));
  CHECK(std::isnan(root_of_powers(std::vector{4.0, -9.0}, 1, 0.5).nearest));
  is({}, 2.5, 1, 0, 0);
  is({0, -0.0}, 3, 3, 0, 0);
}

TEST_CASE("the nearest double and the side give every format's nearest number", "[exact][root]") {
  // 1 + 2^-11 is a tie of float16, 1 + 2^-24 one of float32.
  CHECK(widen(RoundedReal{1 + 0x1p-11}.round<Half>()) == 1);
  CHECK(widen(RoundedReal{1 + 0x1p-11, 1}.round<Half>()) == 1 + 0x1p-10);
  CHECK(widen(RoundedReal{1 + 0x3p-11, -1}.round<Half>()) == 1 + 0x1p-10);
  CHECK(RoundedReal{1 + 0x3p-24}.round<float>() == 1 + 0x1p-22F);
  CHECK(RoundedReal{1 + 0x3p-24, -1}.round<float>() == 1 + 0x1p-23F);
  CHECK(RoundedReal{-1 - 0x1p-24, -1}.round<float>() == -1 - 0x1p-23F);
  CHECK(to_bits(RoundedReal{0, 1}.round<float>()) == 0);
  CHECK(RoundedReal{1 + 0x1p-24, 1}.round<double>() == 1 + 0x1p-24);
  CHECK(RoundedReal{1 + 0x1p-52, 1}.to_odd() == 1 + 0x1p-52);
  CHECK(RoundedReal{kInfinity}.round<double>() == kInfinity);
  ExactSum sum;
  sum.add(1 + 0x1p-11);
  sum.add(-0x1p-300);
  CHECK(RoundedReal::of(sum).nearest == 1 + 0x1p-11);
  CHECK(RoundedReal::of(sum).beyond == -1);
  sum.add(kInfinity);
  CHECK(RoundedReal::of(sum).nearest == kInfinity);
  CHECK(RoundedReal::of(sum).beyond == 0);
}

TEST_CASE("settle_root decides only what it is sure of", "[exact][root]") {
  float y = -1;
  CHECK(settle_root(25.0, 2, root_bound(2, 2), y));
  CHECK(y == 5);
  // 4 + 2^-22 is halfway between two float numbers: not to be decided by a sum with an error.
  y = -1;
  const double tie = 4 + 0x1p-22;
  CHECK_FALSE(settle_root(tie * tie, 2, root_bound(2, 2), y));
  CHECK(y == -1);
  CHECK(settle_root(tie * tie * (1 + 0x1p-45), 2, root_bound(2, 2), y));
  CHECK(y == 4 + 0x1p-21F);
  CHECK(settle_root(tie * tie * (1 - 0x1p-45), 2, root_bound(2, 2), y));
  CHECK(y == 4);
  // Zero is sure only where no power of a float number underflows.
  CHECK(settle_root(0.0, 7, root_bound(9, 7), y));
  CHECK(to_bits(y) == 0);
  CHECK_FALSE(settle_root(0.0, 8, root_bound(9, 8), y));
  // Subnormal results and infinity.
  CHECK(settle_root(0x1p-256, 2, root_bound(1, 2), y));
  CHECK(y == 0x1p-128F);
  CHECK(settle_root(0x1p-302, 2, root_bound(1, 2), y));
  CHECK(to_bits(y) == 0);
  CHECK_FALSE(settle_root(0x1p-300, 2, root_bound(1, 2), y));  // the midpoint after zero, squared
  Half half{};
  CHECK(settle_root(0x1p34, 2, root_bound(1, 2), half));
  CHECK(to_bits(half) == infinity_bits<Half>);
  CHECK_FALSE(settle_root(65520.0 * 65520, 2, root_bound(1, 2), half));
  CHECK(settle_root(65519.0 * 65519, 2, root_bound(1, 2), half));
  CHECK(widen(half) == 65504);
  // Sums out of range, NaN.
  CHECK_FALSE(settle_root(0x1p-901, 8, root_bound(1, 8), y));
  CHECK_FALSE(settle_root(0x1p1001, 40, root_bound(1, 40), y));
  CHECK_FALSE(settle_root(kInfinity, 2, root_bound(1, 2), y));
  CHECK_FALSE(settle_root(std::nan(""), 2, root_bound(1, 2), y));
}

TEST_CASE("norms in other threads", "[exact][root]") {
  double result = 0;
  std::thread([&result] { result = norm<double>({0x1p-1000, 0}, 0x1p20); }).join();
  CHECK(result == 0x1p-1000);
}

}  // namespace opref::exact::root_test
