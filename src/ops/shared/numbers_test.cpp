// SPDX-License-Identifier: Apache-2.0
// Oracle: GMP's rational numbers.
#include "ops/shared/numbers.h"
#include <gmpxx.h>
#include <catch2/catch.hpp>
#include <cmath>
#include <random>
#include <vector>
namespace opref::ops::numbers_test {
namespace {
struct Both {
  Rational ours;
  mpq_class theirs;
};

/// Whole numbers, halves, quotients and doubles, near the ends of 64 bits too.
Both random_number(std::mt19937_64& random) {
  const int shift = static_cast<int>(random() % 64);
  const auto n = static_cast<std::int64_t>(random()) >> shift;
  switch (random() % 6) {
    case 0:
      return {n, mpq_class(static_cast<long>(n))};
    case 1: {
      const std::int64_t edge = random() % 2 == 0 ? INT64_MIN : INT64_MAX;
      return {edge, mpq_class(static_cast<long>(edge))};
    }
    case 2: {
      const auto d = static_cast<std::int64_t>(random() >> (1 + random() % 63)) + 1;
      mpq_class theirs(static_cast<long>(n), static_cast<unsigned long>(d));
      theirs.canonicalize();
      return {Rational(n) / Rational(d), theirs};
    }
    case 3: {
      const double x = std::ldexp(static_cast<double>(n), static_cast<int>(random() % 200) - 150);
      return {Rational::of(x), mpq_class(x)};
    }
    case 4: {
      const double x = static_cast<float>(static_cast<double>(n) * 0x1p-40);
      return {Rational::of(x), mpq_class(x)};
    }
    default: {
      const auto small = static_cast<std::int64_t>(random() % 9) - 4;
      return {Rational(small) / Rational(4), mpq_class(static_cast<long>(small)) / 4};
    }
  }
}
mpq_class floor_of(const mpq_class& x) {
  mpz_class whole;
  mpz_fdiv_q(whole.get_mpz_t(), x.get_num_mpz_t(), x.get_den_mpz_t());
  return whole;
}
}  // namespace

TEST_CASE("rational numbers are those of GMP, of any size", "[ops][numbers]") {
  std::mt19937_64 random(5);
  for (int i = 0; i < 200'000; ++i) {
    const Both a = random_number(random), b = random_number(random);
    const auto same = [&](const Rational& ours, const mpq_class& theirs) {
      const bool are_same = to_text(ours) == theirs.get_str() && ours.nearby() == theirs.get_d();
      if (!are_same)
        FAIL(to_text(a.ours) << " and " << to_text(b.ours) << ": " << to_text(ours) << ", not " << theirs.get_str());
    };
    same(a.ours, a.theirs);
    same(a.ours + b.ours, a.theirs + b.theirs);
    same(a.ours - b.ours, a.theirs - b.theirs);
    same(a.ours * b.ours, a.theirs * b.theirs);
    if (b.theirs != 0) same(a.ours / b.ours, a.theirs / b.theirs);
    same(a.ours.floor(), floor_of(a.theirs));
    same(a.ours.ceil(), -floor_of(-a.theirs));
    same(a.ours.denominator(), mpq_class(a.theirs.get_den()));
    same(common_multiple(a.ours.denominator(), b.ours.denominator()),
         mpq_class(lcm(a.theirs.get_den(), b.theirs.get_den())));
    const mpq_class half(1, 2), up = floor_of(a.theirs + half);
    const bool is_odd_tie = up - a.theirs == half && mpz_odd_p(up.get_num_mpz_t()) != 0;
    same(a.ours.rounded_even(), is_odd_tie ? mpq_class(up - 1) : up);
    same(a.ours.rounded_away(), a.theirs < 0 ? mpq_class(-floor_of(-a.theirs + half)) : up);
    if ((a.ours < b.ours) != (a.theirs < b.theirs) || (a.ours == b.ours) != (a.theirs == b.theirs))
      FAIL(to_text(a.ours) << " <=> " << to_text(b.ours));
    if (a.ours.is_whole() != (a.theirs.get_den() == 1)) FAIL(to_text(a.ours));
    same(a.ours.clamped(-1000, std::int64_t{1} << 60),
         a.theirs < -1000 ? mpq_class(-1000) : std::min(floor_of(a.theirs), mpq_class(std::int64_t{1} << 60)));
    const mpz_class modulus = mpz_class(1) << 64, whole = floor_of(a.theirs).get_num();
    mpz_class low;
    mpz_fdiv_r(low.get_mpz_t(), whole.get_mpz_t(), modulus.get_mpz_t());
    if (a.ours.floor().low_bits() != low.get_ui()) FAIL(to_text(a.ours));
    Rational copy = b.ours;
    copy = a.ours;
    if (copy != a.ours) FAIL(to_text(a.ours));
  }
}
}  // namespace opref::ops::numbers_test
