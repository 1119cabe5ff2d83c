// SPDX-License-Identifier: Apache-2.0
#include "exact/real/interval.h"

#include <catch2/catch.hpp>
#include <functional>
#include <limits>
#include <stdexcept>
#include <vector>

#include "exact/mpfr.h"
#include "exact/oracle_testing.h"

namespace opref::exact::interval_test {
namespace {

using oracle::Inputs;
using oracle::Random;
using oracle::Rational;

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr char kOperations[] = {'+', '-', '*', '/'};

template <class R>
R apply(char operation, const R& a, const R& b) {
  return operation == '+' ? R(a + b) : operation == '-' ? R(a - b) : operation == '*' ? R(a * b) : R(a / b);
}

bool contains(const Interval& y, const Rational& q) {
  return !y.is_nan() && mpfr_cmp_q(y.low(), q.get_mpq_t()) <= 0 && mpfr_cmp_q(y.high(), q.get_mpq_t()) >= 0;
}

/// The element of `formula` at rising precision, as a double; with the precision that decided it, or 0 bits.
struct Decided {
  double value;
  mpfr_prec_t bits;
};
template <class T>
Decided decide(const std::function<Interval()>& formula, mpfr_prec_t most = 6144) {
  T element{};
  for (Interval::precision = 96; Interval::precision <= most; Interval::precision *= 2)
    if (settle(formula(), element)) return {widen(element), Interval::precision};
  return {kNaN, 0};
}
template <class T>
double value(const std::function<Interval()>& formula) {
  const Decided decided = decide<T>(formula);
  if (decided.bits == 0) throw std::runtime_error("undecided");
  return decided.value;
}
bool same_bits(double a, double b) { return std::isnan(b) ? std::isnan(a) : to_bits(a) == to_bits(b); }

double dyadic(Random& random) {
  return random.one_in(4) ? oracle::random_number<float>(random, Inputs::wide)
                          : static_cast<double>(random.in(-9, 9)) / static_cast<double>(1 << random.in(0, 3));
}

/// A formula of the numbers a, b, c and d.
using Formula = Interval (*)(const Interval& a, const Interval& b, const Interval& c, const Interval& d);
/// p or q, but few bits do not tell which.
Interval either(const Interval& x, const Interval& p, const Interval& q) {
  return choose(
      exp(x) * exp(-x) < Interval(1.0) + x / Interval(128.0), [&] { return p; }, [&] { return q; });
}
/// x·(1 - 10^-7)
Interval below(const Interval& x) { return x / (Interval(1.0) + exp(Interval(-16.0))); }
constexpr Formula kFormulas[] = {
    [](const auto& a, const auto& b, const auto& c, const auto& d) { return a * b + c * d; },
    [](const auto& a, const auto& b, const auto& c, const auto& d) { return (a + b) * (c + d); },
    [](const auto& a, const auto& b, const auto& c, const auto& d) { return a / d + b * c; },
    [](const auto& a, const auto& b, const auto& c, const auto&) { return exp(a) * b + c; },
    [](const auto& a, const auto& b, const auto& c, const auto&) {
      return a * (Interval(1.0) / (Interval(1.0) + exp(-b))) * c;
    },
    [](const auto& a, const auto& b, const auto& c, const auto& d) { return (a / d) * (b + exp(c)); },
    [](const auto& a, const auto& b, const auto& c, const auto& d) { return max(a / d, b) * min(c, b / d); },
    [](const auto& a, const auto& b, const auto& c, const auto& d) {
      return choose(
          exp(a) < b, [&] { return abs(c) - d; }, [&] { return tanh(c / d); });
    },
    [](const auto& a, const auto& b, const auto& c, const auto&) { return pow(abs(a) + Interval(1.0), b) * c; },
    [](const auto& a, const auto& b, const auto& c, const auto& d) { return square(a / d - b) / (exp(c) + abs(b)); },
    // Of a condition that is not known there are ends that are reached: of zero, of one, and of both signs.
    [](const auto& a, const auto& b, const auto& c, const auto& d) {
      return max(exp(a) - b, Interval(0.0)) * (exp(c) + d);
    },
    [](const auto& a, const auto& b, const auto& c, const auto&) { return max(exp(a) - b, Interval(0.0)) / exp(c); },
    [](const auto& a, const auto& b, const auto& c, const auto&) {
      return pow(max(exp(a) - b, Interval(1.0)), exp(c));
    },
    [](const auto& a, const auto& b, const auto& c, const auto& d) {
      return either(a, c, -c) * either(b, d, -below(d));
    },
    [](const auto& a, const auto& b, const auto& c, const auto& d) {
      return max(either(a, c, -c), below(c)) * abs(either(b, d, -below(d)));
    }};

}  // namespace

// With 5 bits nearly every operation rounds, and many ends are just the number: those are not open.
TEST_CASE("intervals: an open end is not the number", "[real]") {
  Random random(8);
  const auto pick = [&] { return static_cast<double>(random.in(-16, 16)) / static_cast<double>(1 << random.in(0, 3)); };
  int open = 0, ends_that_are_it = 0, wrong = 0;
  for (int i = 0; i < 45000; ++i) {
    const double a = pick(), b = pick(), c = pick(), picked = pick(), d = picked == 0 ? 1 : picked;
    const Formula formula = kFormulas[i % std::size(kFormulas)];
    const auto at = [&](mpfr_prec_t bits) {
      Interval::precision = bits;
      return formula(a, b, c, d);
    };
    const Interval narrow = at(600), wide = at(5);
    if (wide.is_anything() || narrow.is_anything()) continue;
    const bool is_point = narrow.is_point();
    const bool is_low = is_point && mpfr_equal_p(wide.low(), narrow.low()) != 0,
               is_high = is_point && mpfr_equal_p(wide.high(), narrow.high()) != 0;
    open += wide.is_low_open() + wide.is_high_open();
    ends_that_are_it += is_low + is_high;
    wrong += (is_low && wide.is_low_open()) || (is_high && wide.is_high_open());
    wrong += mpfr_lessequal_p(wide.low(), narrow.low()) == 0 || mpfr_lessequal_p(narrow.high(), wide.high()) == 0;
  }
  CHECK(wrong == 0);
  CHECK(open > 30000);
  CHECK(ends_that_are_it > 5000);
}

// 1/(1 + e^-x) is below 1 for every x. The midpoint up is one that as a tie goes down, and down one that goes up.
TEST_CASE("intervals: a tie times what is beside 1 is decided at once", "[real]") {
  Interval::precision = 96;
  const auto decided = [](const Interval& y) {
    float element = 0;
    return settle(y, element) ? element : static_cast<float>(kNaN);
  };
  const Interval up(1 + 0x1p-24), down(1 + 0x3p-24), one(1.0), zero(0.0);
  const float nearer = 1 + 0x1p-23F;  // to both of them
  const Interval unknown = exp(one) * Interval(3.0) - exp(one) * Interval(2.0) - exp(one);
  const auto either = [&](const Interval& p, const Interval& q) {
    return choose(
        unknown < zero, [&] { return p; }, [&] { return q; });
  };
  for (const double x : {2e4, 1e30, 1e300}) {
    CAPTURE(x);
    const Interval tiny = exp(-Interval(x)), below = one / (one + tiny), above = one + tiny;
    for (const Interval& y : {down * below, down / above, down - tiny, -(tiny - down), down * sqrt(below),
                              down - one + below, down * max(below, one - tiny), down * either(below, one - tiny)})
      CHECK(decided(y) == nearer);
    for (const Interval& y : {up * above, up / below, up + tiny, -(-tiny - up), up * sqrt(above), up - one + above,
                              up * min(above, one / below), up * either(above, one / below), max(up, up * above)})
      CHECK(decided(y) == nearer);
    CHECK(decided(-down * below) == -nearer);
    CHECK(decided(-up * above) == -nearer);
    CHECK(decided(max(up, up * below)) == 1);  // the midpoint itself
    CHECK(decided(min(down, down * above)) == 1 + 0x1p-22F);
    CHECK(decided(Interval(0x1p127) * Interval(2 - 0x1p-24) * below) == 0x1.fffffep127F);
    CHECK(tiny.sign() == 1);
    CHECK((-tiny).sign() == -1);
    CHECK((zero < tiny) == Interval::Truth::yes);
    CHECK((below < one) == Interval::Truth::yes);
    CHECK(decided(tiny * Interval(-kInfinity)) == -kInfinity);
    std::uint64_t bits = 0;
    CHECK(settle(Interval(5.0) * below, bits));
    CHECK(bits == 4);
    CHECK(settle(Interval(-5.0) * below, bits));
    CHECK(bits == static_cast<std::uint64_t>(-4));
    CHECK(settle(Interval(5.0) * above, bits));
    CHECK(bits == 5);
  }
  CHECK(max(unknown, zero).sign() == std::nullopt);  // it may be 0
  CHECK((one / max(unknown, zero)).is_anything());
  CHECK((zero / max(unknown, zero)).is_anything());
}

// 1 + e^-20000 - 1: rounding leaves an end at zero, and MPFR gives a zero that is rounded downwards the sign -.
TEST_CASE("intervals: an end at zero that is not the number has the number's sign", "[real]") {
  Interval::precision = 96;
  const Interval one(1.0), tiny = exp(Interval(-2e4));
  const Interval above = one + tiny - one, below = one - (one + tiny);
  CHECK((mpfr_zero_p(above.low()) != 0 && mpfr_signbit(above.low()) == 0));
  CHECK((mpfr_zero_p(below.high()) != 0 && mpfr_signbit(below.high()) != 0));
}

// Sums, products and quotients of one another, many of them zero, by rationals as well.
TEST_CASE("intervals contain the exact number, and are it where that is known", "[real]") {
  Random random(1);
  const mpfr_prec_t precision = GENERATE(24, 96, 1536);
  CAPTURE(precision);
  int outside = 0, wrong_points = 0, zeros = 0, unknown_zeros = 0;
  for (int round = 0; round < 300; ++round) {
    Interval::precision = precision;
    std::vector<std::pair<Interval, Rational>> numbers;
    for (int i = 0; i < 4; ++i) {
      const double x = dyadic(random);
      numbers.emplace_back(Interval(x), Rational(x));
    }
    for (int i = 0; i < 12; ++i) {
      const char operation = random.of(kOperations);
      const auto a = random.of(numbers), b = random.of(numbers);
      if (operation == '/' && b.second == 0) continue;
      const Interval y = apply(operation, a.first, b.first);
      const auto exact = apply<Rational>(operation, a.second, b.second);
      outside += !contains(y, exact);
      wrong_points += y.is_point() && mpfr_cmp_q(y.low(), exact.get_mpq_t()) != 0;
      if (y.is_anything()) break;  // divided by what could not yet be told from zero
      if (exact == 0) ++zeros, unknown_zeros += !y.is_point();
      if (mpz_sizeinbase(exact.get_num_mpz_t(), 2) > 600) break;
      numbers.emplace_back(y, exact);
    }
  }
  CHECK(outside == 0);
  CHECK(wrong_points == 0);
  CHECK(zeros > 100);
  if (precision == 1536) CHECK(unknown_zeros == 0);
}

TEST_CASE("intervals: sums and products of points are points when there are bits enough", "[real]") {
  Random random(2);
  Interval::precision = 4500;
  int wrong = 0;
  for (int i = 0; i < 2000; ++i) {
    const double a = oracle::random_number<double>(random, Inputs::finite),
                 b = oracle::random_number<double>(random, Inputs::finite);
    for (const char operation : {'+', '-', '*'}) {
      const Interval y = apply<Interval>(operation, a, b);
      wrong += !y.is_point() || mpfr_cmp_q(y.low(), apply<Rational>(operation, a, b).get_mpq_t()) != 0;
    }
  }
  CHECK(wrong == 0);
}

TEST_CASE("intervals: an operation on points, rounded to double, is IEEE 754's", "[real]") {
  Random random(3);
  std::vector<std::pair<double, double>> pairs;
  const double specials[] = {kNaN,   kInfinity, -kInfinity, 0.0, -0.0, 1, -3, 0x1p-1074, -0x1.fffffffffffffp1023,
                             0x1p970};
  for (const double a : specials)
    for (const double b : specials) pairs.emplace_back(a, b);
  for (int i = 0; i < 3000; ++i) {
    const auto kind = oracle::random_inputs(random);
    pairs.emplace_back(oracle::random_number<double>(random, kind), oracle::random_number<double>(random, kind));
  }
  int wrong = 0;
  for (const auto& [a, b] : pairs)
    for (const char operation : kOperations) {
      const double ieee = apply<double>(operation, a, b);
      const double y = value<double>([&, a = a, b = b] { return apply<Interval>(operation, a, b); });
      if (same_bits(y, ieee)) continue;
      ++wrong;
      UNSCOPED_INFO(a << ' ' << operation << ' ' << b << ": " << y << ", not " << ieee);
    }
  CHECK(wrong == 0);
  CHECK(to_bits(value<double>([] { return Interval(-kNaN); })) == to_bits(quiet_nan<double>()));
  CHECK(to_bits(value<double>([] { return -Interval(0.0); })) == to_bits(-0.0));
}

// Nobody knows that e - e is 0: no precision makes it a point.
TEST_CASE("intervals: zero times what may have either sign is a zero of either sign", "[real]") {
  Interval::precision = 96;
  const Interval e = exp(Interval(1.0)), around = e * Interval(3.0) - e * Interval(2.0) - e, plus(0.0), minus(-0.0);
  REQUIRE(!around.sign());
  const Interval zero = plus * around;
  CHECK((zero.is_zero() && !zero.is_point() && zero.sign() == 0 && (-zero).is_zero()));
  float element{};
  std::uint64_t bits = 1;
  CHECK(!settle(zero, element));  // +0 or -0
  CHECK(settle(zero, bits));
  CHECK(bits == 0);
  // As IEEE 754 has it of both zeros; by `one`, where that tells them apart.
  const auto is = [](const Interval& y, double x) {
    return y.is_point() && same_bits(mpfr_get_d(y.low(), MPFR_RNDN), x);
  };
  const auto is_either_zero = [](const Interval& y) { return y.is_zero() && !y.is_point(); };
  CHECK(is(zero + Interval(5.0), 5));
  CHECK(is(Interval(5.0) - zero, 5));
  CHECK(is(zero + plus, 0.0));
  CHECK(is(plus + zero, 0.0));
  CHECK(is_either_zero(zero + minus));
  CHECK(is_either_zero(minus + zero));
  CHECK(is_either_zero(zero + zero));
  CHECK(is_either_zero(zero * around));
  CHECK(is_either_zero(zero * Interval(-2.0)));
  CHECK(is_either_zero(zero / e));
  CHECK(is(zero * Interval(kInfinity), kNaN));
  CHECK((Interval(1.0) / zero).is_anything());  // Inf or -Inf
  CHECK(is(abs(zero), 0.0));
  CHECK(is(max(plus, zero), 0.0));
  CHECK(is_either_zero(max(minus, zero)));
  CHECK(is(exp(zero), 1));
  CHECK(is(cos(zero), 1));
  CHECK(is(cosh(zero), 1));
  CHECK(is(erfc(zero), 1));
  CHECK(is(log(zero), -kInfinity));
  CHECK(is(acosh(zero), kNaN));
  for (const auto& f : {tanh(zero), sin(zero), sqrt(zero), expm1(zero), log1p(zero), tan(zero), erf(zero)})
    CHECK(is_either_zero(f));
  CHECK((zero < plus) == Interval::Truth::no);
  CHECK((plus < zero) == Interval::Truth::no);
}

TEST_CASE("intervals: a choice that is not known is one of both", "[real]") {
  Interval::precision = 96;
  const Interval e = exp(Interval(1.0)), around = e * Interval(3.0) - e * Interval(2.0) - e;
  const auto chosen = [&](const Interval& a, const Interval& b) {
    return choose(
        around < Interval(0.0), [&] { return a; }, [&] { return b; });
  };
  const Interval y = chosen(Interval(2.0), Interval(-1.0));
  CHECK((contains(y, -1) && contains(y, 2) && !contains(y, 3)));
  CHECK((chosen(Interval(0.5), Interval(0.5)).is_point()));
  CHECK((chosen(Interval(0.0), Interval(-0.0)).is_zero() && !chosen(Interval(-0.0), Interval(0.0)).is_point()));
  CHECK(chosen(Interval(kNaN), Interval(kNaN)).is_nan());
  for (const double x : {kNaN, kInfinity, -kInfinity}) {
    CHECK(chosen(Interval(x), Interval(1.0)).is_anything());
    CHECK(chosen(Interval(1.0), Interval(x)).is_anything());
  }
  // 1/(1 + e^-x), x around 0
  const Interval t = exp(-abs(around));
  CHECK(value<float>([&] { return chosen(t, Interval(1.0)) / (Interval(1.0) + t) * Interval(3.0); }) == 1.5);
}

// Infinite in MPFR, yet a number: e^(-x²) of it is nothing that its logarithm tells.
TEST_CASE("intervals: erfc of a number beyond MPFR's exponents", "[real]") {
  Interval::precision = 96;
  const Interval beyond = exp(Interval(0x1p60)), product = erfc(beyond) * beyond;
  REQUIRE(mpfr_inf_p(beyond.high()) != 0);
  double element = 1;
  CHECK((!settle(product, element) || element == 0));
  CHECK(value<double>([&] { return erfc(beyond); }) == 0);
  CHECK(value<double>([&] { return erfc(-beyond); }) == 2);
}

// What the interval operations see: numbers, each of them also as one that is no point.
TEST_CASE("intervals: numbers and infinities, zeros and their signs", "[real]") {
  const auto number = [](double x) { return Interval(x) / Interval(3.0); };  // no point, x/3
  const double x = GENERATE(5.0, -5.0);
  CAPTURE(x);
  CHECK(value<double>([&] { return number(x) * Interval(0.0); }) == 0);
  CHECK(std::signbit(value<double>([&] { return number(x) * Interval(0.0); })) == (x < 0));
  CHECK(std::signbit(value<double>([&] { return Interval(-0.0) * number(x); })) == (x > 0));
  CHECK(std::signbit(value<double>([&] { return Interval(0.0) / number(x); })) == (x < 0));
  CHECK(std::signbit(value<double>([&] { return number(x) / Interval(kInfinity); })) == (x < 0));
  CHECK(value<double>([&] { return number(x) / Interval(0.0); }) == x * kInfinity);
  CHECK(value<double>([&] { return number(x) / Interval(-0.0); }) == -x * kInfinity);
  CHECK(value<double>([&] { return number(x) * Interval(kInfinity); }) == x * kInfinity);
  CHECK(value<double>([&] { return Interval(-kInfinity) / number(x); }) == -x * kInfinity);
  CHECK(value<double>([&] { return number(x) + Interval(kInfinity); }) == kInfinity);
  CHECK(std::isnan(value<double>([&] { return number(x) * Interval(kNaN); })));
  // A number minus itself is +0, and what is made of it has IEEE 754's signs and poles.
  const auto zero = [&] { return number(x) + number(x) + number(x) - Interval(x); };
  CHECK(to_bits(value<double>(zero)) == to_bits(0.0));
  CHECK(value<double>([&] { return Interval(-1.0) / zero(); }) == -kInfinity);
  CHECK(to_bits(value<double>([&] { return zero() * Interval(-1.0); })) == to_bits(-0.0));
  CHECK(std::isnan(value<double>([&] { return zero() / zero(); })));
  CHECK(std::isnan(value<double>([&] { return zero() * Interval(kInfinity); })));
}

TEST_CASE("intervals: the sign of a zero is not guessed", "[real]") {
  Interval::precision = 96;
  const Interval small = exp(Interval(1.0)) - exp(Interval(1.0));  // 0 or of either sign, as far as is known
  REQUIRE(!small.is_point());
  CHECK((Interval(1.0) / small).is_anything());
  CHECK((Interval(0.0) * (Interval(1.0) / small)).is_anything());
  double element = 0;
  CHECK(!settle(small, element));
  CHECK(!settle(Interval(0.0) * small, element));
  CHECK(!settle(small / Interval(kInfinity), element));
}

TEST_CASE("intervals: the zero bound", "[real]") {
  Interval::precision = 96;
  const Interval x(7.0), third = x / Interval(3.0);
  const Interval zero = third + third + third - x;
  CHECK(zero.is_point());
  CHECK(mpfr_zero_p(zero.low()) != 0);
  CHECK(zero.size().zero_bits() == 0);
  // 2^-200 is too small for 96 bits to be told from 0, and not called 0.
  const Interval beside = third + third + third - (x + Interval(0x1p-200));
  CHECK(!beside.is_point());
  CHECK(value<double>([] {
          const Interval a = Interval(7.0) / Interval(3.0);
          return a + a + a - (Interval(7.0) + Interval(0x1p-200));
        }) == -0x1p-200);
  // The greater of two numbers is one of them, also where they are equal.
  const Interval greater = max(third, Interval(14.0) / Interval(6.0));
  CHECK((greater + greater + greater - x).is_point());
  CHECK((greater - max(third * Interval(0.5), third)).is_point());
  // Of numbers that may be transcendental there is none: e^(1/3)·e^(1/3)·e^(1/3) - e is never known to be 0.
  const auto root = [] { return exp(Interval(1.0) / Interval(3.0)); };
  CHECK(decide<double>([&] { return root() * root() * root() - exp(Interval(1.0)); }).bits == 0);
}

TEST_CASE("intervals: sizes bound numbers from below", "[real]") {
  Random random(4);
  int wrong = 0;
  for (int i = 0; i < 3000; ++i) {
    const double x[] = {dyadic(random), dyadic(random), dyadic(random), dyadic(random)};
    if (x[1] == 0 || x[3] == 0) continue;
    const char operation = random.of(kOperations);
    const Rational p = Rational(x[0]) / Rational(x[1]), q = Rational(x[2]) / Rational(x[3]);
    if (operation == '/' && q == 0) continue;
    const auto size = [](double a) { return Interval(a).size(); };
    const Size a = quotient_size(size(x[0]), size(x[1])), b = quotient_size(size(x[2]), size(x[3]));
    const Size y = operation == '*' ? product_size(a, b) : operation == '/' ? quotient_size(a, b) : sum_size(a, b);
    const auto exact = apply<Rational>(operation, p, q);
    wrong += exact != 0 && abs(exact) < oracle::power_of_two(-static_cast<long>(y.zero_bits()));
  }
  CHECK(wrong == 0);
}

namespace {

/// Midpoints of T after these bits: at the ends, among subnormal numbers, at powers of two, and anywhere.
template <class T>
std::vector<std::uint64_t> bits_before_midpoints(Random& random) {
  const std::uint64_t implicit = std::uint64_t{1} << (Format<T>::precision - 1), infinity = infinity_bits<T>;
  std::vector<std::uint64_t> bits = {
      0, 1, 2, implicit - 2, implicit - 1, implicit, 2 * implicit - 1, infinity - 2, infinity - 1};
  for (int i = 0; i < 60; ++i) bits.push_back(random.bits() % infinity);
  return bits;
}

/// The midpoint after `bits`, a product of doubles: of a double for double too.
template <class T>
Interval midpoint_interval(std::uint64_t bits) {
  const auto at = [](std::uint64_t u) {  // infinity's bits mean what would follow the largest number
    return u == infinity_bits<T> ? Interval(std::ldexp(1.0, Format<T>::max_exponent)) * Interval(2.0)
                                 : Interval(oracle::number<T>(u));
  };
  return (at(bits) + at(bits + 1)) * Interval(0.5);
}

}  // namespace

TEMPLATE_TEST_CASE("intervals settle as the nearest element, ties to even", "[real]", Half, BFloat16, float, double) {
  Random random(5);
  constexpr std::uint64_t kSign = sign_bit<TestType>;
  int wrong = 0, undecided_too_long = 0;
  for (const std::uint64_t bits : bits_before_midpoints<TestType>(random))
    for (const double sign : {1.0, -1.0}) {
      const std::uint64_t signs = sign < 0 ? kSign : 0;
      const auto judge = [&](std::uint64_t expected, const std::function<Interval()>& formula) {
        const Decided decided = decide<TestType>(formula, 24576);
        const double element = oracle::number<TestType>(expected | signs);
        wrong += decided.bits == 0 || !same_bits(decided.value, element);
        undecided_too_long += decided.bits > 12288;
      };
      const auto middle = [&] { return midpoint_interval<TestType>(bits) * Interval(sign); };
      const auto third = [&] { return middle() / Interval(3.0); };
      const std::uint64_t even = bits + (bits & 1);
      judge(bits, [&] { return Interval(sign * oracle::number<TestType>(bits)); });
      judge(even, middle);
      judge(even, [&] { return third() + third() + third(); });
      const auto tiny = [&] { return middle() * Interval(0x1p-300); };
      judge(bits, [&] { return middle() - tiny(); });
      judge(bits + 1, [&] { return third() + third() + third() + tiny(); });
      judge(bits, [&] { return third() + third() + third() - tiny(); });
      judge(bits, [&] { return middle() * exp(Interval(-0x1p-150)); });
      judge(bits + 1, [&] { return middle() * exp(Interval(0x1p-150)); });
    }
  CHECK(wrong == 0);
  CHECK(undecided_too_long == 0);
}

TEST_CASE("intervals: a tie of a float that 96 bits are too few for is not called one", "[real]") {
  Interval::precision = 24;
  float element = 0;
  const Interval third = Interval(0x1.000001p0) / Interval(3.0);
  CHECK(!settle(third + third + third, element));  // between 1 and its neighbour, and wider than the bound
  CHECK(value<float>([] {
          const Interval a = Interval(0x1.000001p0) / Interval(3.0);
          return a + a + a;
        }) == 1);
}

TEST_CASE("intervals: exp contains what more bits say, and of 0 it is exact", "[real]") {
  Random random(6);
  int outside = 0;
  for (int i = 0; i < 2000; ++i) {
    const double x = random.normal() * std::ldexp(1.0, static_cast<int>(random.in(-30, 12)));
    Interval::precision = 300;
    const Interval precise = exp(Interval(x)), precise_root = exp(Interval(x) / Interval(3.0));
    Interval::precision = 60;
    const Interval y = exp(Interval(x)), root = exp(Interval(x) / Interval(3.0));
    for (const auto& [wide, narrow] : {std::pair(&y, &precise), std::pair(&root, &precise_root)})
      outside += mpfr_lessequal_p(wide->low(), narrow->low()) == 0 ||
                 mpfr_greaterequal_p(wide->high(), narrow->high()) == 0 || !wide->narrower(40 - 1.5 * std::abs(x));
  }
  CHECK(outside == 0);
  CHECK(exp(Interval(0.0)).is_point());
  CHECK(value<double>([] { return exp(Interval(-0.0)); }) == 1);
  CHECK(exp(Interval(0.0)).size().zero_bits() == 0);
  CHECK(to_bits(value<double>([] { return exp(Interval(-kInfinity)); })) == to_bits(0.0));
  CHECK(value<double>([] { return exp(Interval(kInfinity)); }) == kInfinity);
  CHECK(std::isnan(value<double>([] { return exp(Interval(kNaN)); })));
  // Python 3.11, decimal of 60 digits, rounded to binary64.
  CHECK(value<double>([] { return exp(Interval(1.0)); }) == 0x1.5bf0a8b145769p+1);
  CHECK(value<double>([] { return exp(Interval(-745.0)); }) == 0x1p-1074);
  CHECK(value<double>([] { return exp(Interval(0x1p-53)); }) == 1 + 0x1p-52);  // beyond the midpoint by 2^-107
}

// e^-3.4e38 is a number, but beyond MPFR's exponents.
TEST_CASE("intervals: NaN where all of one lies outside a function's domain", "[real]") {
  const Interval third = Interval(1.0) / Interval(3.0), below = third - Interval(2.0);
  CHECK(sqrt(below).is_nan());
  CHECK(log(below).is_nan());
  CHECK(log1p(below).is_nan());
  CHECK(acosh(third).is_nan());
  CHECK(asin(third + Interval(1.0)).is_nan());
  CHECK_FALSE(sqrt(third).is_nan());
}

TEST_CASE("intervals: beyond MPFR's exponents", "[real]") {
  const auto tiny = [] { return exp(Interval(-3.4e38)); };
  const auto huge = [] { return exp(Interval(3.4e38)); };
  CHECK(!tiny().is_point());
  CHECK(!huge().is_point());
  CHECK(to_bits(value<double>(tiny)) == to_bits(0.0));
  CHECK(to_bits(value<double>([&] { return -tiny(); })) == to_bits(-0.0));
  CHECK(to_bits(value<double>([&] { return -tiny() + Interval(0.0); })) == to_bits(-0.0));
  CHECK(to_bits(value<double>([&] { return Interval(0.0) + -tiny(); })) == to_bits(-0.0));
  CHECK(to_bits(value<double>([&] { return Interval(0.0) * -tiny(); })) == to_bits(-0.0));
  CHECK(to_bits(value<double>([&] { return -tiny() / Interval(3.0); })) == to_bits(-0.0));
  CHECK(value<float>([&] { return Interval(1.0) + tiny(); }) == 1);
  CHECK(value<double>(huge) == kInfinity);
  CHECK(value<double>([&] { return -huge(); }) == -kInfinity);
  CHECK(value<double>([&] { return huge() + Interval(kInfinity); }) == kInfinity);
  CHECK(value<double>([&] { return huge() + Interval(-kInfinity); }) == -kInfinity);
  CHECK(value<double>([&] { return Interval(kInfinity) + -huge(); }) == kInfinity);
  CHECK(to_bits(value<double>([&] { return huge() / Interval(kInfinity); })) == to_bits(0.0));
  CHECK(to_bits(value<double>([&] { return -huge() / Interval(kInfinity); })) == to_bits(-0.0));
  CHECK(value<double>([&] { return Interval(-kInfinity) / huge(); }) == -kInfinity);
  CHECK(to_bits(value<double>([&] { return Interval(0.0) * huge(); })) == to_bits(0.0));
  CHECK((huge() - huge()).is_anything());
  CHECK(value<double>([&] { return Interval(1.0) / tiny(); }) == kInfinity);
  CHECK(value<double>([&] { return tiny() * Interval(-kInfinity); }) == -kInfinity);
  CHECK(exp(huge() - huge()).is_anything());
  CHECK(to_bits(value<double>([&] { return Interval(0.0) / -tiny(); })) == to_bits(-0.0));
  const auto tiny_power = [] { return pow(Interval(0.5), Interval(1e30)); };
  CHECK(value<double>([&] { return Interval(-1.0) / tiny_power(); }) == -kInfinity);
  CHECK(to_bits(value<double>([&] { return Interval(0.0) / tiny_power(); })) == to_bits(0.0));
  CHECK(value<double>([&] { return pow(Interval(3.0), Interval(1e30)) * tiny_power(); }) == kInfinity);
}

TEST_CASE("intervals: of numbers beyond MPFR's exponents the logarithms tell which is greater", "[real]") {
  const auto power = [](double x) { return exp(Interval(x)); };  // e^x
  const auto is_minus_zero = [&](const std::function<Interval()>& y) {
    return to_bits(value<double>(y)) == to_bits(-0.0);
  };
  const auto is_zero = [&](const std::function<Interval()>& y) { return to_bits(value<double>(y)) == to_bits(0.0); };
  CHECK(is_minus_zero([&] { return power(-1e200) - power(-1e199); }));
  CHECK(is_zero([&] { return power(-1e199) - power(-1e200); }));
  CHECK(is_minus_zero([&] { return power(-1e308) * Interval(1e300) - power(-1e30) * Interval(1e-300); }));
  CHECK(value<double>([&] { return power(1e200) - power(1e199); }) == kInfinity);
  CHECK(value<double>([&] { return power(1e199) - power(1e200); }) == -kInfinity);
  CHECK(value<double>([&] { return power(1e200) * power(-1e199); }) == kInfinity);
  CHECK(is_zero([&] { return power(1e199) * power(-1e200); }));
  CHECK(is_zero([&] { return power(1e199) / power(1e200); }));
  CHECK(is_minus_zero([&] { return tanh(power(-1e200)) - sqrt(power(-1e200)); }));
  CHECK(is_zero([&] { return Interval(1.0) / (Interval(1.0) + power(1e199)) - power(-1e200); }));
  CHECK(value<double>([&] { return power(1e199) - power(1e198) - power(1e200) * Interval(1e-9); }) == -kInfinity);
  // Nearer to each other than doubles of the logarithms tell, or of unknown signs.
  CHECK(decide<double>([&] { return power(-1e200) - power(-1e200) * Interval(0.999); }, 192).bits == 0);
  CHECK((power(1e200) - power(1e200) * Interval(0.999)).is_anything());
  const Interval unknown = power(0.5) - power(0.5);
  CHECK_FALSE((power(-1e200) + unknown * power(-1e200)).sign());
  CHECK_FALSE((power(1e200) + unknown * power(1e200)).sign());
}

namespace {

/// x/3 as an interval of 24 bits, whose functions are worked out with more.
Interval wide_third(double x) {
  Interval::precision = 24;
  Interval y = Interval(x) / Interval(3.0);
  Interval::precision = 200;
  return y;
}

}  // namespace

TEST_CASE("intervals: functions of intervals contain what they are at both ends", "[real]") {
  using Function = Interval (*)(const Interval&);
  const std::pair<const char*, Function> functions[] = {
      {"exp", [](const Interval& x) { return exp(x); }},     {"log", [](const Interval& x) { return log(x); }},
      {"sin", [](const Interval& x) { return sin(x); }},     {"cos", [](const Interval& x) { return cos(x); }},
      {"tan", [](const Interval& x) { return tan(x); }},     {"atan", [](const Interval& x) { return atan(x); }},
      {"acos", [](const Interval& x) { return acos(x); }},   {"sqrt", [](const Interval& x) { return sqrt(x); }},
      {"tanh", [](const Interval& x) { return tanh(x); }},   {"cosh", [](const Interval& x) { return cosh(x); }},
      {"erfc", [](const Interval& x) { return erfc(x); }},   {"abs", [](const Interval& x) { return abs(x); }},
      {"log1p", [](const Interval& x) { return log1p(x); }}, {"expm1", [](const Interval& x) { return expm1(x); }}};
  Random random(7);
  for (const auto& [name, f] : functions) {
    CAPTURE(name);
    int outside = 0, number = 0;
    for (int i = 0; i < 200; ++i) {
      const Interval x = wide_third(9 * random.normal()), y = f(x);
      REQUIRE(!x.is_point());
      if (y.is_anything()) continue;
      number += !y.is_nan();
      for (const mpfr_srcptr end : {x.low(), x.high()}) {
        const Interval at = f(Interval(mpfr_get_d(end, MPFR_RNDN)));
        const bool inside = mpfr_lessequal_p(y.low(), at.low()) != 0 && mpfr_greaterequal_p(y.high(), at.high()) != 0;
        outside += y.is_nan() ? !at.is_nan() : !inside;
      }
    }
    CHECK(number > 20);
    CHECK(outside == 0);
  }
}

TEST_CASE("intervals: tan of what may be on both sides of a pole is anything", "[real]") {
  for (double x = 1e9; x < 1e9 + 40; x += 3) CHECK(tan(wide_third(x)).is_anything());  // 32 wide
  int unknown = 0;
  for (double x = 4; x < 5; x += 0x1p-9) {
    const Interval y = tan(wide_third(x));
    unknown += y.is_anything();
    CHECK((y.is_anything() || mpfr_lessequal_p(y.low(), y.high()) != 0));
  }
  CHECK(unknown < 2);
  CHECK(tan(wide_third(0x1.2d97c8p2)).is_anything());  // 3π/2 to 24 bits
}

TEST_CASE("intervals: pi lies between its ends", "[real]") {
  Interval::precision = 400;
  const Interval precise = pi(Interval(1.0));
  for (const mpfr_prec_t precision : {24, 25, 26, 27, 96, 192}) {
    Interval::precision = precision;
    const Interval y = pi(Interval(1.0));
    CHECK(mpfr_less_p(y.low(), precise.low()) != 0);
    CHECK(mpfr_greater_p(y.high(), precise.high()) != 0);
    CHECK(y.narrower(static_cast<double>(precision) - 3));
  }
}

TEST_CASE("intervals: roots near to whole numbers are not called those", "[real]") {
  // √(n² + 1) - n = 1/(√(n² + 1) + n) is above 2^-(k+2) for n = 2^k.
  for (int k = 1; k <= 25; ++k) {
    CAPTURE(k);
    const double n = std::ldexp(1.0, k);
    const Size size = sum_size(root_size(Interval(n * n + 1).size()), Interval(n).size());
    CHECK(size.zero_bits() > k + 1);
    Interval::precision = 24;
    CHECK(!(sqrt(Interval(n * n + 1)) - Interval(n)).is_point());
  }
  Interval::precision = 96;
  CHECK((sqrt(Interval(2.0)) * sqrt(Interval(2.0)) - Interval(2.0)).is_point());
}

TEST_CASE("intervals: the greater and the less of points", "[real]") {
  CHECK((Interval(1.0) < Interval(1.0)) == Interval::Truth::no);
  CHECK((Interval(-0.0) < Interval(0.0)) == Interval::Truth::no);
  CHECK((Interval(1.0) < Interval(2.0)) == Interval::Truth::yes);
  CHECK((Interval(2.0) < Interval(1.0)) == Interval::Truth::no);
  for (const auto& [a, b] : {std::pair(0.0, -0.0), std::pair(-0.0, 0.0)}) {
    CHECK(to_bits(value<double>([a = a, b = b] { return max(Interval(a), Interval(b)); })) == to_bits(0.0));
    CHECK(to_bits(value<double>([a = a, b = b] { return min(Interval(a), Interval(b)); })) == to_bits(-0.0));
  }
  CHECK(std::isnan(value<double>([] { return max(Interval(kNaN), Interval(1.0)); })));
  CHECK(std::isnan(value<double>([] { return min(Interval(1.0), Interval(kNaN)); })));
}

TEST_CASE("intervals: copies, moves and assignments keep the number", "[real]") {
  Interval::precision = 96;
  Interval a = Interval(1.0) / Interval(3.0);
  Interval::precision = 24;
  Interval copy = a, moved = std::move(a), other(2.0);
  CHECK(mpfr_equal_p(copy.low(), moved.low()) != 0);
  CHECK(mpfr_equal_p(copy.high(), moved.high()) != 0);
  CHECK(!copy.is_point());
  CHECK(copy.narrower(90));
  other = copy;
  CHECK(mpfr_equal_p(other.high(), copy.high()) != 0);
  CHECK(other.size().zero_bits() == copy.size().zero_bits());
}

}  // namespace opref::exact::interval_test
