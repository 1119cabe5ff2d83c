// SPDX-License-Identifier: Apache-2.0
// Claimed errors against exact ones: rationals, and for exp MPFR.
#include "exact/real/bounded.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <limits>
#include <vector>

#include "exact/oracle_testing.h"
#include "exact/real/bounded_functions.h"

namespace opref::exact::bounded_test {
namespace {

using oracle::Inputs;
using oracle::Random;
using oracle::Rational;

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();
/// The roundings of e itself, for which whoever rounds pays.
constexpr double kRoundings = 1 + 0x1p-40;

enum class Operation { add, subtract, multiply, divide };
constexpr Operation kOperations[] = {Operation::add, Operation::subtract, Operation::multiply, Operation::divide};

template <class R>
R apply(Operation operation, const R& a, const R& b) {
  switch (operation) {
    case Operation::add:
      return a + b;
    case Operation::subtract:
      return a - b;
    case Operation::multiply:
      return a * b;
    case Operation::divide:
      break;
  }
  return a / b;
}

/// Of few bits and many, near the ends of double's range and in its middle.
double any_number(Random& random) {
  switch (random.in(0, 5)) {
    case 0:
      return oracle::random_number<float>(random, Inputs::any);
    case 1:
      return oracle::random_number<double>(random, Inputs::any);
    case 2:
      return oracle::random_number<Half>(random, Inputs::finite);
    case 3:
      return oracle::random_number<double>(random, Inputs::special);
    case 4:  // where products and quotients lose bits
      return std::ldexp(random.normal(), static_cast<int>(random.in(-1080, -900)));
    default:
      return std::ldexp(random.normal(), static_cast<int>(random.in(-30, 30)));
  }
}
/// Mostly a number of the other's size, at times one that all but cancels it.
double partner(Random& random, double a) {
  if (random.one_in(4)) return any_number(random);
  if (random.one_in(3)) return std::nextafter(random.sign() * a, random.sign() * kInfinity);
  return a * std::ldexp(random.normal(), static_cast<int>(random.in(-60, 60)));
}

/// Whether the bound holds, and how much of it is used.
struct Use {
  bool sound = true;
  double part = 0;
};
/// Of what is at `exact`; an error that is not finite says nothing, and infinity is not at any of these.
Use use_of(const Bounded& y, const Rational& exact) {
  if (!std::isfinite(y.e)) return {};
  if (!std::isfinite(y.v)) return {false, 0};
  const Rational error = abs(Rational(y.v) - exact);
  if (y.e == 0) return {error == 0, 0};
  if (y.e < 0 || error > Rational(y.e) * Rational(kRoundings)) return {false, 0};
  return {true, Rational(error / Rational(y.e)).get_d()};
}

/// Neither what underflow is paid with nor overflow is near.
bool is_ordinary(double x) { return x == 0 || (std::abs(x) > 0x1p-400 && std::abs(x) < 0x1p400); }

}  // namespace

TEST_CASE("bounded: of exact numbers the error is what the operation lost", "[real]") {
  Random random(1);
  const Operation operation = GENERATE(from_range(std::begin(kOperations), std::end(kOperations)));
  CAPTURE(static_cast<int>(operation));
  int unsound = 0, ordinary = 0, loose = 0, inexact_unseen = 0;
  for (int i = 0; i < 40000; ++i) {
    const double a = any_number(random), b = partner(random, a);
    if (!std::isfinite(a) || !std::isfinite(b) || (operation == Operation::divide && b == 0)) continue;
    const Bounded y = apply<Bounded>(operation, a, b);
    const Rational exact = apply<Rational>(operation, a, b);
    const Use use = use_of(y, exact);
    unsound += !use.sound;
    inexact_unseen += std::isfinite(y.v) && Rational(y.v) != exact && y.e == 0;
    if (!is_ordinary(a) || !is_ordinary(b)) continue;
    ++ordinary;
    loose += Rational(y.v) == exact ? y.e != 0 : use.part < 0.999;
  }
  CHECK(ordinary > 4000);
  CHECK(unsound == 0);
  CHECK(inexact_unseen == 0);
  CHECK(loose == 0);
}

TEST_CASE("bounded: sums and differences are as exact where numbers are subnormal", "[real]") {
  for (const double a : {0x1p-1074, 0x3p-1074, 0x1p-1023, 0x1.8p-1023})
    for (const double b : {-0x1p-1074, 0x5p-1074, 0x1.fp-1023}) {
      CHECK((Bounded(a) + Bounded(b)).e == 0);
      CHECK((Bounded(a) - Bounded(b)).e == 0);
    }
}

// The bound is nearly met by numbers at the ends of what is known of the arguments.
TEST_CASE("bounded: errors of the arguments", "[real]") {
  Random random(2);
  const Operation operation = GENERATE(from_range(std::begin(kOperations), std::end(kOperations)));
  CAPTURE(static_cast<int>(operation));
  const auto with_error = [&](double v) {
    const auto place = static_cast<int>(random.in(-70, -6));
    const double e = random.one_in(6)   ? 0
                     : random.one_in(6) ? std::ldexp(1.0, static_cast<int>(random.in(-1074, -900)))
                                        : std::ldexp(std::abs(v) * (1 + std::abs(random.normal())), place);
    return Bounded(random.one_in(20) ? 0.0 : v, e);
  };
  int unsound = 0, ordinary = 0, loose = 0;
  for (int i = 0; i < 20000; ++i) {
    const double v = any_number(random);
    const Bounded a = with_error(v), b = with_error(partner(random, v));
    if (!std::isfinite(a.v) || !std::isfinite(b.v) || !std::isfinite(a.e) || !std::isfinite(b.e)) continue;
    const bool steep = operation == Operation::divide && (b.v == 0 || !(b.e <= 0x1p-10 * std::abs(b.v)));
    const Bounded y = apply(operation, a, b);
    if (steep) {
      unsound += y.e <= std::numeric_limits<double>::max();
      continue;
    }
    double part = 0;
    for (const int s : {-1, 1})
      for (const int t : {-1, 1}) {
        const Rational p = Rational(a.v) + s * Rational(a.e), q = Rational(b.v) + t * Rational(b.e);
        if (operation == Operation::divide && q == 0) continue;
        const Use use = use_of(y, apply<Rational>(operation, p, q));
        unsound += !use.sound;
        part = std::max(part, use.part);
      }
    if (!std::ranges::all_of(std::vector{a.v, a.e, b.v, b.e}, is_ordinary) || y.v == 0 || y.e == 0) continue;
    ++ordinary;
    loose += part < 0.49;
  }
  CHECK(ordinary > 2000);
  CHECK(unsound == 0);
  CHECK(loose == 0);
}

// What is lost to underflow is small, but great where it is divided by a small number.
TEST_CASE("bounded: underflow", "[real]") {
  const auto sound = [](const Bounded& y, const Rational& exact) { return y.e > 0 && use_of(y, exact).sound; };
  const auto quotient = [](double a, double b) -> Rational { return Rational(a) / Rational(b); };
  CHECK(sound(Bounded(0x1p-1074) * Bounded(1.5), Rational(0x1p-1074) * Rational(1.5)));
  CHECK(sound(Bounded(0x1p-600) * Bounded(0x1p-600), Rational(0x1p-600) * Rational(0x1p-600)));
  CHECK(sound(Bounded(0x1p-1074) / Bounded(3), quotient(0x1p-1074, 3)));
  CHECK(sound(Bounded(0x1p-1022) / Bounded(0x3p-1024), quotient(0x1p-1022, 0x3p-1024)));
  CHECK(sound(Bounded(0x1p-1000) / Bounded(0x1.8000000000001p-1001), quotient(0x1p-1000, 0x1.8000000000001p-1001)));
  CHECK(sound(Bounded(0x1p-600, 0x1p-1074) * Bounded(0x1p-10), (Rational(0x1p-600) + Rational(0x1p-1074)) / 1024));
  const Bounded small(0x1p-500, 0x1p-1074);  // 2^-1074·q is no double
  CHECK(sound(Bounded(0x1p-510) / small, Rational(0x1p-510) / (Rational(small.v) + Rational(small.e))));
  // Next to nothing is lost of an exact zero.
  CHECK((Bounded(0.0) * Bounded(3, 0.5)).e <= 0x1p-1000);
  CHECK((Bounded(0.0) * Bounded(3)).e == 0);
  CHECK((Bounded(0.0) / Bounded(3)).e == 0);
}

TEST_CASE("bounded: of what is not finite nothing is claimed", "[real]") {
  const auto says_nothing = [](const Bounded& y) { return !std::isfinite(y.v) || !std::isfinite(y.e); };
  for (const double a : {kNaN, kInfinity, -kInfinity})
    for (const double b : {kNaN, kInfinity, -kInfinity, 0.0, -0.0, 1.0, 0x1p1023, 0x1p-1074})
      for (const Operation operation : kOperations) {
        CAPTURE(static_cast<int>(operation), a, b);
        CHECK(says_nothing(apply<Bounded>(operation, a, b)));
        CHECK(says_nothing(apply<Bounded>(operation, b, a)));
        CHECK(says_nothing(apply<Bounded>(operation, Bounded(1, kInfinity), b)));
        CHECK(says_nothing(apply<Bounded>(operation, Bounded(1, kNaN), b)));
        CHECK(says_nothing(apply<Bounded>(operation, b, Bounded(1, kInfinity))));
      }
  for (const double b : {0.0, -0.0}) CHECK(says_nothing(Bounded(1) / Bounded(b)));
  CHECK(says_nothing(Bounded(1) / Bounded(0.0, 0x1p-1000)));
  CHECK(std::signbit((-Bounded(0.0)).v));
}

// Else max, min and choose would take the number for one that is known to be beyond all others.
TEST_CASE("bounded: the error of what overflows is infinite, that of infinity is not", "[real]") {
  constexpr double kMost = std::numeric_limits<double>::max();
  for (const double sign : {1.0, -1.0}) {
    CAPTURE(sign);
    const Bounded large(sign * 0x1p1023), most(sign * kMost), infinity(sign * kInfinity);
    for (const Bounded& y : {large + large, large - -large, most + Bounded(sign * 0x1p970), large * Bounded(2),
                             Bounded(sign * 0x1p600) / Bounded(0x1p-600), square(Bounded(0x1p600))})
      CHECK(!std::isfinite(y.e));
    CHECK((most + Bounded(-sign)).e == 1);
    for (const double x : {1.0, -1.0, kMost, -kMost, sign * kInfinity}) {
      CHECK((infinity + Bounded(x)).v == sign * kInfinity);
      CHECK((infinity + Bounded(x)).e == 0);
      CHECK((Bounded(x) + infinity).e == 0);
    }
    CHECK(!std::isfinite(min(Bounded(3e38), max(Bounded(-3e38), large + large)).e));
    CHECK(!std::isfinite(choose(
                             large + large < Bounded(0.0), [] { return Bounded(1); }, [] { return Bounded(2); })
                             .e));
  }
}

TEST_CASE("bounded: finite is what is known to be", "[real]") {
  CHECK(is_finite(Bounded(1)));
  CHECK(is_finite(Bounded(-1, 0x1p900)));
  for (const Bounded& x : {Bounded(kInfinity), Bounded(-kInfinity), Bounded(kNaN), Bounded(1, kInfinity),
                           Bounded(1, kNaN), tanh(Bounded(kNaN)), Bounded(0x1p1023) + Bounded(0x1p1023)})
    CHECK(!is_finite(x));
}

}  // namespace opref::exact::bounded_test
