// SPDX-License-Identifier: Apache-2.0
#include "fast/scatter.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <numeric>
#include <vector>

namespace scatter_test {

using namespace opref::fast;

namespace {

/// 8 planes of 20000 elements, each to a place in a plane of 30000.
struct Case {
  static constexpr std::size_t kPlanes = 8, kFrom = 20000, kTo = 30000;
  std::vector<std::uint32_t> x = std::vector<std::uint32_t>(kPlanes * kFrom);
  std::vector<std::int64_t> at = std::vector<std::int64_t>(kPlanes * kFrom);

  Case() {
    std::iota(x.begin(), x.end(), 1);
    for (std::size_t e = 0; e < at.size(); ++e)
      at[e] = static_cast<std::int64_t>(e / kFrom * kTo + e % kFrom * 7919 % kTo);
  }
  void require_in_order() const {
    std::vector<std::uint32_t> expected(kPlanes * kTo);
    for (std::size_t e = 0; e < x.size(); ++e) expected[static_cast<std::size_t>(at[e])] = x[e];
    for (const int threads : {1, 2, 3, 100})
      for (const bool is_zero : {true, false}) {
        std::vector<std::uint32_t> y(kPlanes * kTo, is_zero ? 0 : 7);
        REQUIRE(scatter_units<std::uint32_t>(x, at.data(), y, is_zero, kPlanes, threads) == x.size());
        REQUIRE(y == expected);
      }
  }
};

}  // namespace

TEST_CASE("scatter: planes that stay apart", "[rows][scatter]") { Case().require_in_order(); }

TEST_CASE("scatter: places that ascend one by one, or descend", "[rows][scatter]") {
  Case c;
  for (std::size_t e = 0; e < c.at.size(); ++e)
    c.at[e] = static_cast<std::int64_t>(e / Case::kFrom * Case::kTo + e % Case::kFrom);
  c.require_in_order();
  for (std::size_t first = 0; first < c.at.size(); first += Case::kFrom)
    std::reverse(c.at.begin() + static_cast<std::ptrdiff_t>(first),
                 c.at.begin() + static_cast<std::ptrdiff_t>(first + Case::kFrom));
  c.require_in_order();
}

TEST_CASE("scatter: the last of those with one place is left, whatever plane it is in", "[rows][scatter]") {
  Case c;
  for (std::size_t e = 0; e < c.at.size(); e += 100) c.at[e] = static_cast<std::int64_t>(e / 1000);
  c.require_in_order();
  for (std::size_t e = 0; e < c.at.size(); ++e) c.at[e] = static_cast<std::int64_t>(e % 3 * 100000);
  c.require_in_order();
  // Runs of 16: to 1, 1, 32, 33, 64, 65, … Zeros are put before a 33, when its 32 is there.
  for (std::size_t e = 0; e < c.at.size(); ++e) {
    const std::size_t run = std::max<std::size_t>(1, e / 16);
    c.at[e] = static_cast<std::int64_t>(run / 2 * 32 + run % 2);
  }
  c.require_in_order();
}

TEST_CASE("scatter: a plane that ends in the next one, on places that the next one writes too", "[rows][scatter]") {
  for (int round = 0; round < 20; ++round) {  // a wrong order needs threads that run at the same time
    Case c;
    for (std::size_t e = 4 * Case::kFrom - 1000; e < 4 * Case::kFrom; ++e) c.at[e] = c.at[e + Case::kFrom];
    c.require_in_order();
  }
}

TEST_CASE("scatter: the first place that is none, on any number of threads", "[rows][scatter]") {
  for (const std::int64_t none : {std::int64_t{-1}, std::int64_t{240000}, INT64_MIN, INT64_MAX})
    for (const int threads : {1, 2, 100}) {
      Case c;
      c.at[159999] = c.at[70001] = none;
      for (const bool is_zero : {true, false}) {
        std::vector<std::uint32_t> y(Case::kPlanes * Case::kTo, is_zero ? 0 : 7);
        REQUIRE(scatter_units<std::uint32_t>(c.x, c.at.data(), y, is_zero, Case::kPlanes, threads) == 70001);
      }
    }
}

}  // namespace scatter_test
