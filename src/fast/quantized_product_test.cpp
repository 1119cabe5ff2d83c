// SPDX-License-Identifier: Apache-2.0
// Integers of 8 bits at the ends of their range, and quotients at ties.
#include <catch2/catch.hpp>
#include <cmath>

#include "evaluators/sum.h"
#include "exact/oracle_testing.h"
#include "fast/fast.h"
#include "fast/integer_dots.h"

namespace opref::fast::quantized_product_test {
namespace {

using evaluators::Strided;
using oracle::Random;

/// One product of K terms a·b, a of uint8 and b of uint8, less zero points.
std::int32_t product_of_equal(std::int64_t K, std::uint8_t a, std::uint8_t a_zero, std::uint8_t b,
                              std::uint8_t b_zero) {
  const auto line = [K](std::uint8_t x) {
    return Tensor::of<std::uint8_t>(DType::uint8, {K}, std::vector<std::uint8_t>(static_cast<size_t>(K), x));
  };
  const QuantizedProduct p{{{line(a), Strided({}, {}), K, 1}, {line(b), Strided({}, {}), 1, 1}, 1, 1, K},
                           [=](std::int64_t) { return a_zero; },
                           [=](std::int64_t) { return b_zero; }};
  const Call call;
  const Tensor y = evaluators::sum(
      Output(call, {DType::int32, {1}}), DType::int32, [](std::int64_t, auto&) { FAIL("the definition is asked"); }, {},
      [&](const RowTarget& target) { return quantized_product(target, p); });
  return y.values<std::int32_t>()[0];
}

}  // namespace

TEST_CASE("quantized products: the greatest sums of 32 bits, and beyond", "[rows][MatMulInteger]") {
  std::vector<std::int16_t> a(kDotLines * kMostDots, 255), b(kDotLines * kMostDots, -255);
  std::int32_t sums[kDotLines * kDotLines];
  integer_dots(a.data(), b.data(), kMostDots, kMostDots, sums, kDotLines);
  for (const std::int32_t sum : sums) CHECK(sum == -255 * 255 * kMostDots);
  CHECK(255 * 255 * kMostDots < std::int64_t{1} << 31);
  CHECK(255 * 255 * (kMostDots + 1) > std::int64_t{1} << 31);
  for (const std::int64_t K : {1, 8192, 8193, 33025, 33026, 70000}) {
    CHECK(product_of_equal(K, 255, 0, 255, 0) == static_cast<std::int32_t>(255 * 255 * K));
    CHECK(product_of_equal(K, 255, 0, 0, 255) == static_cast<std::int32_t>(-255 * 255 * K));
  }
}

// Against rational arithmetic: sum·a·b/c to the nearest integer, ties to even, or to an even result.
TEMPLATE_TEST_CASE("quantized products: requantized sums", "[rows][QLinearMatMul]", std::int8_t, std::uint8_t) {
  using oracle::Rational;
  Random random(9);
  int wrong = 0, ties = 0;
  for (int turn = 0; turn < 400; ++turn) {
    const auto scale = [&](int bits) {
      const auto odd = static_cast<double>(random.in(1, std::int64_t{1} << random.in(1, bits)));
      return std::ldexp(odd, static_cast<int>(random.in(-20, 4)));
    };
    const double a = scale(24), b = turn % 2 == 0 ? 1 : scale(24), c = turn % 3 == 0 ? 1 : scale(24);
    const auto rounding = random.one_in(2) ? Integers::Rounding::nearest : Integers::Rounding::nearest_with_zero_point;
    const Integers how{rounding, random.in(std::numeric_limits<TestType>::min(), std::numeric_limits<TestType>::max())};
    std::vector<double> sums, scales(40, b);
    for (size_t i = 0; i < scales.size(); ++i) {  // most of them near results in range, and near ties
      const double middle = (static_cast<double>(random.in(-600, 600)) / 2) * c / (a * b);
      const double limit = 0x1p52, near = std::round(std::clamp(middle, -limit, limit));
      sums.push_back(i % 8 == 7 ? static_cast<double>(random.in(-1 << 30, 1 << 30))
                                : near + static_cast<double>(random.in(-1, 1)));
    }
    std::vector<TestType> y(sums.size());
    requantize_row(sums.data(), {a, scales.data(), c, how}, sums.size(), y.data());
    for (size_t i = 0; i < sums.size(); ++i) {
      const Rational q = Rational(sums[i]) * Rational(a) * Rational(b) / Rational(c);
      mpz_class floor;
      mpz_fdiv_q(floor.get_mpz_t(), q.get_num_mpz_t(), q.get_den_mpz_t());
      const Rational rest = q - Rational(floor), half(1, 2);
      const mpz_class counted = rounding == Integers::Rounding::nearest ? floor : mpz_class(floor + how.zero_point);
      const bool is_odd = mpz_odd_p(counted.get_mpz_t()) != 0, up = rest > half || (rest == half && is_odd);
      ties += rest == half;
      const mpz_class nearest = floor + (up ? 1 : 0) + how.zero_point;
      const mpz_class least = std::numeric_limits<TestType>::min(), most = std::numeric_limits<TestType>::max();
      const mpz_class expected = nearest < least ? least : nearest > most ? most : nearest;
      wrong += expected != y[i];
    }
  }
  CHECK(wrong == 0);
  CHECK(ties > 200);
}

}  // namespace opref::fast::quantized_product_test
