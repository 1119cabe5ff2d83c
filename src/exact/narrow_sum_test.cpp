// SPDX-License-Identifier: Apache-2.0
// The accumulators of naive kernels, and the one behind error bounds.
#include "exact/narrow_sum.h"

#include <catch2/catch.hpp>
#include <random>

#include "exact/exact_sum.h"
#include "exact/magnitude_sum.h"

namespace opref::exact::narrow_sum_test {

TEST_CASE("NarrowSum rounds after each operation, in order", "[exact][narrow_sum]") {
  NarrowSum<Half> half;
  for (const double x : {2048.0, 1.0, 1.0, 1.0}) half.add(x);  // each 1 is half a place: lost, to even
  CHECK(half.value() == 2048);
  NarrowSum<Half> other;
  for (const double x : {1.0, 1.0, 1.0, 2048.0}) other.add(x);
  CHECK(other.value() == 2052);
  NarrowSum<BFloat16> bfloat;
  for (const double x : {256.0, 1.0, 1.0}) bfloat.add(x);
  CHECK(bfloat.value() == 256);
  NarrowSum<float> single;
  for (const double x : {0x1p24, 1.0, 1.0}) single.add(x);
  CHECK(single.value() == 0x1p24);
  NarrowSum<double> wide;
  for (const double x : {0x1p53, 1.0, 1.0}) wide.add(x);
  CHECK(wide.value() == 0x1p53);
  NarrowSum<Half> overflow;
  for (const double x : {60000.0, 10000.0, -20000.0}) overflow.add(x);
  CHECK(overflow.value() == HUGE_VAL);

  // (1 + 2^-12)² - 1: the product rounded to 1 + 2^-11, or kept.
  NarrowSum<float> product, fused(Fused::yes);
  for (auto* sum : {&product, &fused}) {
    sum->add(-1);
    sum->add(1 + 0x1p-12, 1 + 0x1p-12);
  }
  CHECK(product.value() == 0x1p-11);
  CHECK(fused.value() == 0x1p-11 + 0x1p-24);
  NarrowSum<BFloat16> inputs;
  inputs.add(1 + 0x1p-8, 1);  // a tie: rounded to 1 before anything
  CHECK(inputs.value() == 1);
  for (const auto once_or_twice : {Fused::no, Fused::yes}) {
    NarrowSum<BFloat16> whole(once_or_twice, Operands::whole);
    whole.add(1 + 0x1p-8, 2 + 0x1p-8);  // of rounded inputs: 2
    CHECK(whole.value() == 2 + 0x1p-6);
    whole.add(-2 - 0x1p-6);
    whole.add(1, 1);
    whole.add(0x1p-8 + 0x1p-20);
    CHECK(whole.value() == 1 + 0x1p-7);
  }
  // 1 + 2^-8 + 2^-30 lies above a tie of bfloat16; float32 makes it the tie.
  NarrowSum<BFloat16> steps(Fused::no, Operands::in_float32), once(Fused::yes, Operands::whole);
  for (auto* sum : {&steps, &once}) {
    sum->add(1);
    sum->add(0x1p-8 + 0x1p-30, 1);
  }
  CHECK(steps.value() == 1);
  CHECK(once.value() == 1 + 0x1p-7);
}

TEMPLATE_TEST_CASE("NarrowSum's fused operation rounds once", "[exact][narrow_sum]", Half, BFloat16, float) {
  std::mt19937_64 random(2);
  const int most = Format<TestType>::max_exponent - Format<TestType>::precision;
  for (int i = 0; i < 20000; ++i) {
    const auto number = [&](int exponents) {
      const auto significand = static_cast<double>(random() % (2U << (Format<TestType>::precision - 1)));
      return std::ldexp(random() % 2 == 0 ? significand : -significand,
                        static_cast<int>(random() % static_cast<unsigned>(2 * exponents)) - exponents);
    };
    const double a = number(most / 3), b = number(most / 3);
    // Beside a product's tie, or anywhere.
    const double c = i % 2 == 0 ? number(most) : std::ldexp(NarrowSum<TestType>::rounded(a * b), -(i % 60));
    NarrowSum<TestType> sum(Fused::yes);
    sum.add(c);
    const double start = sum.value();
    sum.add(a, b);
    ExactSum exact;
    exact.add(start);
    exact.add(a, b);
    CHECK(sum.value() == widen(exact.round<TestType>()));
  }
  // 3/2·(1 + place) is a tie, which c decides, however small.
  const double place = std::ldexp(1.0, 1 - Format<TestType>::precision), below = 1.5 + place, above = below + place;
  const double tiny = std::ldexp(1.0, Format<TestType>::min_exponent);
  NarrowSum<TestType> up(Fused::yes), down(Fused::yes);
  up.add(tiny);
  up.add(1.5, 1 + place);
  down.add(-tiny);
  down.add(1.5, 1 + place);
  CHECK(up.value() == above);
  CHECK(down.value() == below);
}

TEST_CASE("MagnitudeSum keeps what a bound needs", "[exact][narrow_sum]") {
  MagnitudeSum sum;
  CHECK(sum.least_factor() == HUGE_VAL);
  sum.add(-3);
  sum.add(0x1p-600, -0x1p-700);
  sum.add(0, 5);
  sum.add(1, 1);
  CHECK(sum.terms() == 4);
  CHECK(sum.finite());
  CHECK(sum.least_factor() == 0x1p-700);
  sum.sum().add(2);
  CHECK(sum.sum().sign() == -1);  // -2^-1300 is left
  sum.magnitude().add(-4);
  CHECK(sum.magnitude().sign() == 1);
  sum.add(HUGE_VAL, 0);
  CHECK_FALSE(sum.finite());
  CHECK(std::isnan(sum.sum().round<double>()));
  CHECK(sum.magnitude().sign() == 1);
  sum.clear();
  CHECK(sum.finite());
  CHECK(sum.terms() == 0);
  CHECK(sum.magnitude().sign() == 0);
  CHECK(sum.least_factor() == HUGE_VAL);
}

}  // namespace opref::exact::narrow_sum_test
