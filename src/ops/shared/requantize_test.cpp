// SPDX-License-Identifier: Apache-2.0
#include "ops/shared/quantized.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <limits>
#include <random>

#include "exact/oracle_testing.h"

namespace requantize_test {

using namespace opref::ops;
using opref::exact::oracle::Rational;

namespace {

Rational value_of(const Rescale& scale) { return Rational(scale.a) * Rational(scale.b) / Rational(scale.c); }

/// Whether n·scale is half-way between whole numbers for an n from 1 to `most`.
bool has_tie(const Rescale& scale, int most) {
  for (int n = 1; n <= most; ++n) {
    Rational twice = value_of(scale) * (2 * n);
    twice.canonicalize();
    if (twice.get_den() == 1 && mpz_odd_p(twice.get_num().get_mpz_t()) != 0) return true;
  }
  return false;
}

}  // namespace

TEST_CASE("scales: where a product can be a tie, by rational numbers", "[ops][requantize]") {
  std::mt19937 random(1);
  int ties = 0, others = 0;
  for (int i = 0; i < 3000; ++i) {
    const auto scale = [&] {
      return std::ldexp(static_cast<double>(random() % 40 + 1), static_cast<int>(random() % 9) - 4);
    };
    const Rescale rescale{scale(), scale(), scale()};
    const int most = static_cast<int>(random() % 60);
    const bool expected = has_tie(rescale, most);
    CAPTURE(rescale.a, rescale.b, rescale.c, most);
    CHECK(rescale.may_tie(most) == expected);
    ++(expected ? ties : others);
  }
  CHECK(ties > 500);
  CHECK(others > 500);
  const auto f = [](float x) { return static_cast<double>(x); };
  CHECK_FALSE(Rescale{f(0.02F), f(0.005F), f(0.9F)}.may_tie(1e9));
  CHECK(Rescale{f(0.1F), 1, f(0.1F) * 2}.may_tie(1));
  CHECK_FALSE(Rescale{0x1p-149, 0x1p-149, 0x1p127}.may_tie(0x1p60));
  CHECK(Rescale{0x1p127, 0x1p127, 0x1p-149}.may_tie(1) == false);
}

TEST_CASE("scales: where float32 rounds their quotient, by rational numbers", "[ops][requantize]") {
  std::mt19937 random(2);
  int rounded = 0, exactly = 0;
  for (int i = 0; i < 3000; ++i) {
    const bool is_simple = random() % 2 == 0;
    const auto scale = [&] {
      const auto exponent = static_cast<int>(random() % 9) - 4;
      return std::ldexp(static_cast<double>(is_simple ? random() % 4 + 1 : random() % 0xffffff + 1), exponent);
    };
    const Rescale rescale{scale(), scale(), scale()};
    const bool expected = Rational(static_cast<double>(rescale.in_float32())) != value_of(rescale) ||
                          Rational(static_cast<double>(static_cast<float>(rescale.a * rescale.b))) !=
                              Rational(rescale.a) * Rational(rescale.b);
    CAPTURE(rescale.a, rescale.b, rescale.c);
    CHECK(rescale.is_rounded_in_float32() == expected);
    ++(expected ? rounded : exactly);
  }
  CHECK(rounded > 500);
  CHECK(exactly > 200);
  CHECK(Rescale{0x1p-100, 0x1p-100, 0x1p-100}.is_rounded_in_float32());  // the product is 0 in float32
  CHECK(Rescale{0x1p100, 0x1p100, 0x1p100}.is_rounded_in_float32());
}

TEST_CASE("scales: of what is no scale nothing is known", "[ops][requantize]") {
  for (const double bad : {0.0, -1.0, std::numeric_limits<double>::infinity(), std::nan("")})
    for (const Rescale& rescale : {Rescale{bad, 1, 1}, {1, bad, 1}, {1, 1, bad}}) {
      CHECK(rescale.may_tie(0));
      CHECK(rescale.is_rounded_in_float32());
    }
}

}  // namespace requantize_test
