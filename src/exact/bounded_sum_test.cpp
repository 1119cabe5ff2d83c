#include "exact/bounded_sum.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <limits>
#include <optional>
#include <vector>

namespace opref {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

BoundedSum sum_of(const std::vector<double>& terms) {
  BoundedSum sum;
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

TEMPLATE_TEST_CASE("BoundedSum decides what its error cannot change", "[bounded_sum]", Half, BFloat16, float) {
  CHECK(decided<TestType>({1, 2, 0.25}) == 3.25);
  CHECK(decided<TestType>({-1, -2, 0x1p-30}) == -3);
  CHECK(decided<TestType>({0x1p127, 0x1p127}) == kInfinity);
}

TEMPLATE_TEST_CASE("BoundedSum leaves midpoints and what is near them undecided", "[bounded_sum]", Half, BFloat16,
                   float) {
  const double half_place = std::ldexp(1.0, -Format<TestType>::precision);
  CHECK_FALSE(decided<TestType>({1, half_place}));
  CHECK_FALSE(decided<TestType>({1, half_place, 0x1p-52}));
  CHECK_FALSE(decided<TestType>({-1, -half_place, 0x1p-52}));
  CHECK(decided<TestType>({1, half_place, 0x1p-45}) == 1 + 2 * half_place);
  CHECK(decided<TestType>({1, half_place, -0x1p-45}) == 1);
  // The error follows the magnitude of the terms, not that of the sum.
  CHECK_FALSE(decided<TestType>({0x1p20, 1, half_place, 0x1p-32, -0x1p20}));
}

TEMPLATE_TEST_CASE("BoundedSum leaves zeros of unknown sign undecided", "[bounded_sum]", Half, BFloat16, float) {
  CHECK_FALSE(decided<TestType>({1, -1}));
  CHECK_FALSE(decided<TestType>({1, 0x1p-140, -1}));
  TestType y{};
  for (const auto& zeros : std::vector<std::vector<double>>{{}, {0}, {-0.0}, {-0.0, -0.0}, {0, -0.0}}) {
    REQUIRE(sum_of(zeros).round(y));
    CHECK(to_bits(y) == 0);
  }
  BoundedSum product;  // below every format, but its sign is known
  product.add(-0x1p-149, 0x1p-149);
  REQUIRE(product.round(y));
  CHECK(to_bits(y) == sign_bit<TestType>);
}

TEMPLATE_TEST_CASE("BoundedSum leaves infinities and NaN undecided", "[bounded_sum]", Half, BFloat16, float) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const auto& terms :
       std::vector<std::vector<double>>{{kInfinity}, {1, -kInfinity}, {kInfinity, -kInfinity}, {nan}, {nan, 1}}) {
    TestType y = from_bits<TestType>(1);
    CHECK_FALSE(sum_of(terms).round(y));
    CHECK(to_bits(y) == 1);
  }
  BoundedSum gap;
  gap.add(0, kInfinity);
  TestType y{};
  CHECK_FALSE(gap.round(y));
}

}  // namespace opref
