// SPDX-License-Identifier: Apache-2.0
#include "exact/row_extremes.h"

#include <catch2/catch.hpp>
#include <limits>
#include <vector>

#include "exact/oracle_testing.h"

namespace opref::exact {
namespace {

std::array<std::size_t, 2> by_definition(const std::vector<float>& x) {
  std::array<std::size_t, 2> at{0, 0};
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (x[i] != x[i]) return {i, i};
    if (x[i] < x[at[0]]) at[0] = i;
    if (x[i] > x[at[1]]) at[1] = i;
  }
  return at;
}

}  // namespace

TEST_CASE("row extremes: the first least and greatest number, or the first NaN", "[exact]") {
  oracle::Random random(3);
  for (int round = 0; round < 300; ++round) {
    std::vector<float> x(static_cast<std::size_t>(random.in(1, random.one_in(3) ? 20000 : 40)));
    const double spread = random.one_in(2) ? 3 : 1e6;
    for (float& a : x) a = static_cast<float>(std::round(random.normal() * spread));
    const auto any = [&]() -> float& { return x[static_cast<std::size_t>(random.in(0, std::ssize(x) - 1))]; };
    if (random.one_in(3)) any() = -0.0F, any() = 0.0F;
    if (random.one_in(4)) any() = HUGE_VALF, any() = -HUGE_VALF;
    if (random.one_in(4))
      any() = std::numeric_limits<float>::quiet_NaN(), any() = -std::numeric_limits<float>::quiet_NaN();
    CHECK(row_extremes(x.data(), x.size()) == by_definition(x));
  }
  CHECK(row_extremes(std::vector{-0.0F, 0.0F, -0.0F}.data(), 3) == std::array<std::size_t, 2>{0, 0});
}

}  // namespace opref::exact
