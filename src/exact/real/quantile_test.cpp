// SPDX-License-Identifier: Apache-2.0
// The quantile of the normal distribution against MPFR's erfc: what a tier claims encloses it.
#include "exact/real/quantile.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <limits>

#include "exact/oracle_testing.h"
#include "exact/real/with_precision.h"

namespace opref::exact::quantile_test {
namespace {

using oracle::Random;

/// In ]0, 1[, near both ends and 1/2 too.
double argument(Random& random) {
  const double size = std::ldexp(std::abs(random.normal()), static_cast<int>(random.in(-60, 0)));
  const double p = random.one_in(3) ? size : random.one_in(2) ? 1 - size : 0.5 + size * (random.one_in(2) ? 1 : -1);
  return p > 0 && p < 1 && p != 0.5 ? p : 0.75;
}
/// Φ(y)
Interval distribution(const Interval& y) { return erfc(-y / sqrt(Interval(2.0))) * Interval(0.5); }

}  // namespace

TEST_CASE("quantile: intervals of every precision are numbers whose distribution function is p", "[exact][quantile]") {
  Random random(19);
  for (const MpfrPrecision precision : {96, 192, 768}) {
    const WithPrecision while_it_stands(precision);
    for (int k = 0; k < 300; ++k) {
      const double p = argument(random);
      CAPTURE(precision, p);
      const Interval y = quantile(Interval(p));
      REQUIRE(y.narrower(static_cast<double>(precision) - 70));
      CHECK((p < 0.5 ? distribution(y) - Interval(p) : distribution(-y) - (Interval(1.0) - Interval(p)))
                .sign()
                .value_or(0) == 0);
    }
  }
}

TEST_CASE("quantile: doubles enclose it, of a p that is wrong too", "[exact][quantile]") {
  Random random(20);
  int known = 0;
  for (int k = 0; k < 3000; ++k) {
    const double p = argument(random), e = random.one_in(2) ? 0 : std::min(p, 1 - p) * 0x1p-40;
    const Bounded y = quantile(Bounded(p, e));
    if (!(y.e < 1)) continue;
    ++known;
    for (const double end : {-e, e}) {
      const Interval exact = quantile(Interval(p) + Interval(end));
      CAPTURE(p, end, y.v, y.e);
      CHECK((abs(exact - Interval(y.v)) < Interval(y.e * 1.01 + 1e-300)) != Interval::Truth::no);
    }
    if (e == 0 && std::abs(p - 0.5) > 0x1p-10) CHECK(y.e <= std::abs(y.v) * 0x1p-36);
  }
  CHECK(known > 2500);
}

TEST_CASE("quantile: special numbers, and those far below what doubles have", "[exact][quantile]") {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  CHECK((quantile(Bounded(0.0)).v == -kInfinity && quantile(Bounded(1.0)).v == kInfinity));
  CHECK((quantile(Bounded(0.5)).v == 0 && quantile(Bounded(0.5)).e == 0));
  CHECK(std::isnan(quantile(Bounded(-0.25)).v));
  CHECK(std::isinf(quantile(Bounded(0.5, 0x1p-60)).e));
  CHECK((quantile(Interval(0.5)).is_zero() && quantile(Interval(1.5)).is_nan() && quantile(Interval(-1.5)).is_nan()));
  CHECK((quantile(Faithful(0.0)).high() == -kInfinity && quantile(Faithful(0.0)).error() == 0));
  CHECK(std::abs(quantile(Faithful(0.75)).high() - 0.6744897501960817) < 1e-6);
  const Interval tiny = exp(Interval(-100000.0)), y = quantile(tiny);
  CHECK(y.narrower(20));
  CHECK(((log(distribution(y)) - Interval(-100000.0)).sign().value_or(0) == 0));
}

}  // namespace opref::exact::quantile_test
