// SPDX-License-Identifier: Apache-2.0
// The inverse of the error function against MPFR's erf and erfc: what a tier claims encloses the number, and a claim a
// third as large would not.
#include "exact/real/inverse_error.h"

#include <mpfr.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <limits>

#include "exact/oracle_testing.h"
#include "exact/real/faithful.h"

namespace opref::exact::inverse_error_test {
namespace {

using oracle::Random;

/// (y - the inverse at z) / e, with y = h + l, z > 0: what erf misses z by at y, over the slope there. Good to a
/// thousandth where they differ by little.
double use_of(double h, double l, double e, double z) {
  mpfr_t y, miss, slope;
  mpfr_inits2(600, y, miss, slope, nullptr);
  mpfr_set_d(y, h, MPFR_RNDN);
  mpfr_add_d(y, y, l, MPFR_RNDN);
  mpfr_erfc(miss, y, MPFR_RNDN);
  mpfr_ui_sub(miss, 1, miss, MPFR_RNDN);
  mpfr_sub_d(miss, miss, z, MPFR_RNDN);
  mpfr_sqr(slope, y, MPFR_RNDN);
  mpfr_exp(slope, slope, MPFR_RNDN);
  mpfr_mul(miss, miss, slope, MPFR_RNDN);
  mpfr_mul_d(miss, miss, 0.8862269254527580, MPFR_RNDN);
  mpfr_div_d(miss, miss, e, MPFR_RNDN);
  const double use = mpfr_get_d(miss, MPFR_RNDN);
  mpfr_clears(y, miss, slope, nullptr);
  return std::abs(use);
}

/// In ]0, 1[, near both ends too.
double argument(Random& random) {
  const double size = std::ldexp(std::abs(random.normal()), static_cast<int>(random.in(-52, 0)));
  const double x = random.one_in(3) ? size : random.one_in(2) ? 1 - size : std::abs(random.normal());
  return x > 0 && x < 1 ? x : 0.75;
}

}  // namespace

TEST_CASE("erfinv: doubles and pairs enclose it, and their claims are needed", "[exact][erfinv]") {
  Random random(17);
  double most = 0, most_paired = 0;
  for (int k = 0; k < 20000; ++k) {
    const double z = argument(random);
    const Bounded y = erfinv(Bounded(z)), minus = erfinv(Bounded(-z));
    CAPTURE(z, y.v, y.e);
    REQUIRE(y.e <= std::abs(y.v) * 0x1p-42);
    REQUIRE((minus.v == -y.v && minus.e == y.e));
    most = std::max(most, use_of(y.v, 0, y.e, z));
    if (k % 4 != 0) continue;
    const Paired pair = erfinv(Paired(z));
    REQUIRE(pair.e <= std::abs(pair.h) * 0x1p-95);
    most_paired = std::max(most_paired, use_of(pair.h, pair.l, pair.e, z));
  }
  CHECK((most > 0.34 && most <= 1.001));
  CHECK((most_paired > 0.02 && most_paired <= 1.001));
}

TEST_CASE("erfinv: intervals of every precision enclose what pairs say", "[exact][erfinv]") {
  Random random(18);
  for (const MpfrPrecision precision : {96, 192, 384, 768}) {
    Interval::precision = precision;
    for (int k = 0; k < 200; ++k) {
      const double z = argument(random);
      CAPTURE(precision, z);
      const Interval y = erfinv(Interval(z));
      const Paired pair = erfinv(Paired(z));
      const Interval off = y - (Interval(pair.h) + Interval(pair.l));
      CHECK((abs(off) < Interval(pair.e * 1.001)) != Interval::Truth::no);
      CHECK(y.narrower(static_cast<double>(precision) - 12));
      // erf of the number is z
      CHECK((z < 0.5 ? erf(y) - Interval(z) : erfc(y) - (Interval(1.0) - Interval(z))).sign().value_or(0) == 0);
    }
  }
  Interval::precision = 96;
}

TEST_CASE("erfinv: special numbers", "[exact][erfinv]") {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  for (const double sign : {1.0, -1.0}) {
    CHECK((erfinv(Bounded(sign)).v == sign * kInfinity && erfinv(Bounded(sign)).e == 0));
    CHECK((erfinv(Paired(sign)).h == sign * kInfinity && erfinv(Paired(sign)).e == 0));
    CHECK(erfinv(Interval(sign)).low() != nullptr);
    CHECK((std::isnan(erfinv(Bounded(sign * 1.5)).v) && erfinv(Bounded(sign * 1.5)).e == 0));
    CHECK((std::isnan(erfinv(Paired(sign * kInfinity)).h) && erfinv(Paired(sign * kInfinity)).e == 0));
    CHECK(erfinv(Interval(sign * 1.5)).is_nan());
    CHECK(std::signbit(erfinv(Bounded(sign * 0.0)).v) == (sign < 0));
    CHECK(erfinv(Interval(sign * 0.0)).is_zero());
  }
  CHECK(std::isinf(erfinv(Bounded(0.5, 0x1p-60)).e));
  CHECK(std::isinf(erfinv(Paired(0.5, 0x1p-60, 0)).e));
}

TEST_CASE("erfinv: a kernel's error grows with its operand's", "[exact][erfinv]") {
  Faithful::kernel = {};
  const Faithful exact = erfinv(Faithful(0.5)), moved = erfinv(Faithful(0.5, 0, 0x1p-12));
  CHECK(exact.high() == erfinv(Paired(0.5)).h);
  CHECK((exact.error() > 0 && exact.error() < 0x1p-18));
  // its slope is 1.1126 at 0.5
  CHECK((moved.error() > 1.1126 * 0x1p-12 && moved.error() < 1.14 * 0x1p-12 + exact.error()));
  CHECK(erfinv(Faithful(1.0)).error() == 0);
  CHECK(std::isinf(erfinv(Faithful(0.9999, 0, 0x1p-10)).error()));
}

}  // namespace opref::exact::inverse_error_test
