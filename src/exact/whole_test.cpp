// SPDX-License-Identifier: Apache-2.0
#include "exact/whole.h"

#include <catch2/catch.hpp>

#include "exact/mpfr.h"
#include "exact/oracle_testing.h"
#include "exact/ratio.h"
#include "exact/real/bounded.h"
#include "exact/real/interval.h"
#include "exact/real/plain.h"

namespace opref::exact::exact_whole_test {
namespace {

using oracle::Rational;

Rational rational(std::int64_t n) { return Rational(mpz_class(static_cast<long>(n))); }
Rational rational(std::uint64_t n) { return Rational(mpz_class(static_cast<unsigned long>(n))); }

/// Numbers around the powers of two where doubles become sparser, and the ends of the type.
template <class N>
std::vector<N> whole_numbers() {
  std::vector<N> all;
  for (int k = 0; k < std::numeric_limits<N>::digits; ++k)
    for (const int beside : {-3, -2, -1, 0, 1, 2, 3, 255, 257}) {
      const auto n = static_cast<N>((std::uint64_t{1} << k) + static_cast<std::uint64_t>(beside));
      all.push_back(n);
      if (std::is_signed_v<N>) all.push_back(static_cast<N>(0 - static_cast<std::uint64_t>(n)));
    }
  for (const N n : {std::numeric_limits<N>::min(), std::numeric_limits<N>::max()}) {
    all.push_back(n);
    all.push_back(static_cast<N>(n / 2 + 1));
  }
  oracle::Random random(1);
  for (int i = 0; i < 1000; ++i) all.push_back(static_cast<N>(random.bits() >> random.in(0, 12)));
  return all;
}

template <class N>
void check_all(const N n) {
  CAPTURE(n);
  const Rational q = rational(n);
  const double nearest = from_bits<double>(oracle::nearest_bits<double>(q));
  const bool is_double = Rational(nearest) == q;
  const WholeParts parts = parts_of_whole(n);
  CHECK(to_bits(parts.nearest) == to_bits(nearest));
  CHECK((Rational(parts.nearest) + Rational(parts.rest) == q));
  CHECK((parts.rest == 0) == is_double);

  const Bounded bounded = Bounded::whole(n);
  CHECK(to_bits(bounded.v) == to_bits(nearest));
  CHECK((Rational(bounded.e) == abs(Rational(q - Rational(bounded.v)))));

  for (const MpfrPrecision precision : {24, 96}) {
    Interval::precision = precision;
    const Interval interval = Interval::whole(n);
    CHECK(mpfr_cmp_q(interval.low(), q.get_mpq_t()) == 0);
    CHECK(mpfr_cmp_q(interval.high(), q.get_mpq_t()) == 0);
    CHECK(interval.is_point());
    CHECK(mpfr_signbit(interval.low()) == (n < N{0} ? 1 : 0));
    CHECK(interval.size().u >= (n == 0 ? 0 : static_cast<double>(mpfr_get_exp(interval.low())) - 1));
  }
  Interval::precision = 96;

  CHECK(Wrapped<N>::whole(n).value() == n);
  CHECK(Whole::whole(n).v == n);

  const Ratio ratio(1, n);
  CHECK((Rational(ratio.b) + Rational(ratio.b_rest) == q));
  CHECK(ratio.is_one() == (n == 1));
}

}  // namespace

TEST_CASE("whole: integers of 64 bits are exact in every type of number, or their error is known", "[exact][real]") {
  for (const std::int64_t n : whole_numbers<std::int64_t>()) check_all(n);
  for (const std::uint64_t n : whole_numbers<std::uint64_t>()) check_all(n);
}

TEST_CASE("whole: what no double holds lies at the end of its bounds", "[exact][real]") {
  constexpr std::int64_t kOdd = (std::int64_t{1} << 53) + 1;  // halfway between two doubles
  CHECK(Bounded::whole(kOdd).v == 0x1p53);
  CHECK(Bounded::whole(kOdd).e == 1);
  CHECK(Bounded::whole(-kOdd).v == -0x1p53);
  CHECK(Bounded::whole(-kOdd).e == 1);
  CHECK(Bounded::whole(INT64_MAX).v == 0x1p63);
  CHECK(Bounded::whole(INT64_MAX).e == 1);
  CHECK(Bounded::whole(INT64_MIN).e == 0);
  CHECK(Bounded::whole(UINT64_MAX).v == 0x1p64);
  CHECK(Bounded::whole(UINT64_MAX).e == 1);
  CHECK(Bounded::whole((std::uint64_t{1} << 63) + 1024).e == 1024);  // the most
  CHECK(Bounded::whole(1024).e == 0);
}

}  // namespace opref::exact::exact_whole_test
