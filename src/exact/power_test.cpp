// SPDX-License-Identifier: Apache-2.0
#include "exact/power.h"

#include <gmpxx.h>

#include <catch2/catch.hpp>

namespace opref::exact::power_test {
namespace {

mpq_class integer_power(const mpq_class& x, unsigned long p) {
  mpq_class power;
  mpz_pow_ui(power.get_num_mpz_t(), x.get_num_mpz_t(), p);
  mpz_pow_ui(power.get_den_mpz_t(), x.get_den_mpz_t(), p);
  return power;
}

}  // namespace

TEST_CASE("a power is taken apart into an integer and binary digits", "[exact]") {
  for (const double p : {1.0, 2.0, 64.0, 0.5, 2.5, 0x1p-40, 63.75, static_cast<double>(2.3F)}) {
    REQUIRE(Power::of(p));
    CHECK(Power::of(p)->value() == p);
    CHECK(Power::of(p)->ceiling() == std::ceil(p));
  }
  CHECK(Power::of(2.75)->fraction == 3);
  CHECK(Power::of(2.75)->digits == 2);
  for (const double p : {0.0, -1.0, 64.5, 65.0, 0x1p-41, 2.3, 1e300, double{INFINITY}, std::nan("")})
    CHECK_FALSE(Power::of(p));
}

TEST_CASE("powers of integers are exact while they fit", "[exact]") {
  for (int p = 1; p <= 64; ++p) CHECK(raised(2.0, Power(p)) == std::ldexp(1.0, p));
  double product = 1;
  for (int p = 1; p <= 22; ++p) {
    product *= 5;
    CHECK(raised(5.0, Power(p)) == product);
  }
  CHECK(raised(0x1p500, Power(2)) == 0x1p1000);  // no square beyond the one that is needed
  CHECK(raised(0x1p-1000, *Power::of(0.75)) == 0x1p-750);
  CHECK(raised(0x1p1000, *Power::of(0.75)) == 0x1p750);
  CHECK(raised(0.0, *Power::of(2.5)) == 0);
  CHECK(raised(81.0, *Power::of(1.25)) == 243);
}

TEST_CASE("powers are as near as their roundings say", "[exact]") {
  for (const double p : {0.5, 0.75, 0.09375, 1.5, 2.25, 5.9375, 13.0, 40.5, 0.0078125}) {
    const Power power = *Power::of(p);
    const auto [a, n] = std::pair(static_cast<unsigned long>(std::ldexp(p, power.digits)), 1UL << power.digits);
    const mpq_class bound = power.roundings() * 0x1p-53 * 1.01;
    for (const double x : {1.1, 0.3, 7.0, 1e-5, 12345.678, 0x1.fffffffffffffp0, 0x1.0000000000001p0}) {
      // y^n against x^a: a relative error of y is n times as large there.
      const mpq_class y = raised(x, power), ratio = integer_power(y, n) / integer_power(x, a);
      CAPTURE(p, x);
      const bool near = abs(ratio - 1) <= bound * n * 1.01;
      CHECK(near);
    }
  }
}

}  // namespace opref::exact::power_test
