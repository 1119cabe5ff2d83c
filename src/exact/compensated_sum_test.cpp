#include "exact/compensated_sum.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <limits>
#include <optional>
#include <vector>

namespace opref {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

CompensatedSum sum_of(const std::vector<double>& terms) {
  CompensatedSum sum;
  for (const double term : terms) sum.add(term);
  return sum;
}

/// The element, or nothing where the sum is undecided.
template <class T>
std::optional<double> decided(const std::vector<double>& terms) {
  T y{};
  return sum_of(terms).round(y) ? std::optional(widen(y)) : std::nullopt;
}

}  // namespace

TEMPLATE_TEST_CASE("CompensatedSum decides what its error cannot change", "[compensated_sum]", Half, BFloat16, float) {
  CHECK(decided<TestType>({1, 2, 0.25}) == 3.25);
  CHECK(decided<TestType>({-1, -2, 0x1p-30}) == -3);
  CHECK(decided<TestType>({0x1p127, 0x1p127}) == kInfinity);
}

TEMPLATE_TEST_CASE("CompensatedSum decides midpoints and what is near them", "[compensated_sum]", Half, BFloat16,
                   float) {
  const double half_place = std::ldexp(1.0, -Format<TestType>::precision), next = 1 + 2 * half_place;
  CHECK(decided<TestType>({1, half_place}) == 1);
  CHECK(decided<TestType>({next, half_place}) == next + 2 * half_place);
  CHECK(decided<TestType>({1, half_place, 0x1p-52}) == next);
  CHECK(decided<TestType>({-1, -half_place, 0x1p-52}) == -1);
  CHECK(decided<TestType>({1, half_place, 0x1p-120}) == next);
  CHECK(decided<TestType>({1, 0x1p-120, half_place, -0x1p-119}) == 1);
  CHECK(decided<TestType>({0x1p90, 1, half_place, 0x1p-15, -0x1p90, -0x1p-15, 0x1p-40}) == next);
  // What the sum of the losses loses is not known any more.
  CHECK_FALSE(decided<TestType>({1, half_place, 0x1p-80, 0x1p-200, -0x1p-80}));
  CHECK(decided<TestType>({1, half_place, 0x1p-80, 0x1p-200}) == next);
}

TEMPLATE_TEST_CASE("CompensatedSum knows a zero's sign, or leaves it undecided", "[compensated_sum]", Half, BFloat16,
                   float) {
  TestType y{};
  for (const auto& zeros :
       std::vector<std::vector<double>>{{}, {0}, {-0.0}, {-0.0, -0.0}, {0, -0.0}, {1, -1}, {-1, 1}}) {
    REQUIRE(sum_of(zeros).round(y));
    CHECK(to_bits(y) == 0);
  }
  REQUIRE(sum_of({1, -0x1p-200, -1}).round(y));
  CHECK(to_bits(y) == sign_bit<TestType>);
  CHECK_FALSE(decided<TestType>({1, 0x1p-100, 0x1p-200, -1, -0x1p-100}));
  CompensatedSum product;  // below every format, but its sign is known
  product.add(-0x1p-149, 0x1p-149);
  REQUIRE(product.round(y));
  CHECK(to_bits(y) == sign_bit<TestType>);
}

TEMPLATE_TEST_CASE("CompensatedSum leaves infinities and NaN undecided", "[compensated_sum]", Half, BFloat16, float) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const auto& terms :
       std::vector<std::vector<double>>{{kInfinity}, {1, -kInfinity}, {kInfinity, -kInfinity}, {nan}, {nan, 1}}) {
    TestType y = from_bits<TestType>(1);
    CHECK_FALSE(sum_of(terms).round(y));
    CHECK(to_bits(y) == 1);
  }
  CompensatedSum gap;
  gap.add(0, kInfinity);
  TestType y{};
  CHECK_FALSE(gap.round(y));
}

}  // namespace opref
