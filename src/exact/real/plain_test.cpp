// SPDX-License-Identifier: Apache-2.0
#include "exact/real/plain.h"

#include <catch2/catch.hpp>
#include <limits>

namespace opref::exact::plain_test {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

}  // namespace

TEST_CASE("plain numbers: the greater and the less of two", "[real]") {
  for (const double x : {0.0, -0.0, 1.0, -kInfinity, kInfinity}) {
    CAPTURE(x);
    for (const auto& [a, b] : {std::pair(kNaN, x), std::pair(x, kNaN)}) {
      CHECK(std::isnan(max(Ieee(a), Ieee(b)).v));
      CHECK(std::isnan(min(Ieee(a), Ieee(b)).v));
    }
    CHECK(max(Ieee(x), Ieee(x)).v == x);
    CHECK(std::signbit(max(Ieee(x), Ieee(x)).v) == std::signbit(x));
  }
  for (const auto& [a, b] : {std::pair(0.0, -0.0), std::pair(-0.0, 0.0)}) {
    CHECK(!std::signbit(max(Ieee(a), Ieee(b)).v));
    CHECK(std::signbit(min(Ieee(a), Ieee(b)).v));
  }
  CHECK(max(Ieee(2), Ieee(-3)).v == 2);
  CHECK(min(Ieee(2), Ieee(-3)).v == -3);
  CHECK(max(Signed(2), Signed(-3)).value() == 2);
  CHECK(max(Unsigned(2), Unsigned(-3)).value() == ~std::uint64_t{2});
  CHECK(min(Unsigned(2), Unsigned(-3)).value() == 2);
}

}  // namespace opref::exact::plain_test
