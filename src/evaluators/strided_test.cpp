// SPDX-License-Identifier: Apache-2.0
#include "evaluators/strided.h"

#include <catch2/catch.hpp>
#include <numeric>

#include "core/error.h"
#include "evaluators/parts.h"

namespace strided_test {

using namespace opref::evaluators;
using namespace opref::evaluators;

namespace {

std::vector<std::int64_t> places(const Strided& strided) {
  std::vector<std::int64_t> all;
  for (std::int64_t i = 0; i < strided.count(); ++i) all.push_back(strided(i));
  return all;
}

std::vector<std::int64_t> places_by_runs(const Strided& strided, std::int64_t base) {
  std::vector<std::int64_t> all;
  strided.each(base, [&](const Run& run) {
    for (std::int64_t k = 0; k < run.count; ++k) all.push_back(run.from + k * run.step);
  });
  return all;
}

}  // namespace

TEST_CASE("Strided: a position's place, coordinate by coordinate", "[evaluators]") {
  const std::vector<std::pair<Dims, Dims>> shapes = {{{}, {}},
                                                     {{1}, {5}},
                                                     {{4}, {0}},
                                                     {{2, 3}, {3, 1}},
                                                     {{2, 3}, {1, 2}},
                                                     {{3, 1, 2}, {0, 7, 1}},
                                                     {{2, 0, 3}, {1, 1, 1}},
                                                     {{2, 2, 2, 2}, {1, 2, 4, 8}},
                                                     {{2, 3, 4}, {12, 4, 1}},
                                                     {{3, 4}, {0, 0}},
                                                     {{2, 3, 4}, {-12, 4, -1}}};
  for (const auto& [shape, strides] : shapes) {
    INFO(to_text(shape) << " by " << to_text(strides));
    std::vector<std::int64_t> expected;
    for (std::int64_t i = 0; i < element_count(shape); ++i) {
      const Dims at = coordinates(i, shape);
      expected.push_back(std::inner_product(at.begin(), at.end(), strides.begin(), std::int64_t{40}));
    }
    const Strided strided(shape, strides, 40);
    CHECK(places(strided) == expected);
    for (std::int64_t& place : expected) place += 100;
    CHECK(places_by_runs(strided, 100) == expected);
  }
}

TEST_CASE("Strided: neighbouring axes that make one run are one", "[evaluators]") {
  CHECK(Strided({2, 3, 4}, {12, 4, 1}).run(5).count == 19);
  CHECK(Strided({2, 3, 4}, {24, 4, 1}).run(5).count == 7);
  CHECK(Strided({2, 3, 4}, {0, 4, 1}).run(5).count == 7);
  CHECK(Strided({2, 3, 1}, {3, 1, 9}).run(0).count == 6);
}

TEST_CASE("broadcasting", "[evaluators]") {
  CHECK(broadcast({}, {}) == Dims{});
  CHECK(broadcast({2, 1, 4}, {3, 1}) == Dims{2, 3, 4});
  CHECK(broadcast({0}, {1}) == Dims{0});
  CHECK(broadcast_strides({3, 1}, {2, 3, 4}) == Dims{0, 1, 0});
  CHECK(broadcast_strides({2, 3}, {2, 3}) == Dims{3, 1});
  CHECK_THROWS_WITH(broadcast({2, 3}, {2, 4}), "the shapes [2,3] and [2,4] do not broadcast: 3 meets 4");
}

TEST_CASE("strides of what has no elements are nothing; those of what cannot be are invalid", "[evaluators]") {
  constexpr std::int64_t kHuge = std::int64_t{1} << 62;
  CHECK(strides_of({2, 3, 4}) == Dims{12, 4, 1});
  CHECK(strides_of({}) == Dims{});
  CHECK(strides_of({kHuge, 0, kHuge, kHuge}) == Dims{0, 0, 0, 0});
  CHECK(broadcast_strides({1, kHuge, 0}, {3, kHuge, 0}) == Dims{0, 0, 0});
  CHECK_THROWS_WITH(strides_of({1, kHuge, 2}), Catch::Contains("has more elements than fit into 64 bits"));
}

TEST_CASE("split: coordinates of a position", "[evaluators]") {
  const auto [n, c, o] = split(23, 3, 4);
  CHECK(n == 1);
  CHECK(c == 2);
  CHECK(o == 3);
}

TEST_CASE("parts cover all positions once, cut at multiples of the grain", "[evaluators]") {
  for (const std::int64_t count : {0, 1, 63, 64, 65, 1000})
    for (const int threads : {1, 2}) {
      std::vector<int> met(static_cast<size_t>(count));
      for_each_part(count, 64, {.threads = threads}, [&](std::int64_t first, std::int64_t last) {
        CHECK(first % 64 == 0);
        CHECK((last % 64 == 0 || last == count));
        for (std::int64_t i = first; i < last; ++i) ++met[static_cast<size_t>(i)];
      });
      CHECK(std::ranges::all_of(met, [](int times) { return times == 1; }));
    }
}

}  // namespace strided_test
