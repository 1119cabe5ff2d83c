// SPDX-License-Identifier: Apache-2.0
#include "compare/where.h"

#include <catch2/catch.hpp>
#include <functional>

namespace opref::compare::where_test {
namespace {

using Sentences = std::vector<std::string>;
using Predicate = std::function<bool(const Dims&)>;

Sentences where(const Dims& shape, const Predicate& mismatch) {
  Whereabouts whereabouts(shape);
  for (std::int64_t i = 0; i < element_count(shape); ++i)
    if (mismatch(coordinates(i, shape))) whereabouts.add(i);
  return whereabouts.sentences();
}

TEST_CASE("Mismatches are told by what their coordinates have in common", "[compare][where]") {
  const Dims images{2, 4, 8, 64};
  CHECK(where(images, [](const Dims& at) { return at[3] == 63; }) == Sentences{"all 64 mismatches have axis 3 == 63"});
  CHECK(where(images, [](const Dims& at) { return at[1] == 2 && at[3] == 0; }) ==
        Sentences{"all 16 mismatches have axis 1 == 2", "all 16 mismatches have axis 3 == 0"});
  CHECK(where(images, [](const Dims& at) { return at[3] == 0 || at[3] == 63; }) ==
        Sentences{"all 128 mismatches have axis 3 in {0, 63}"});
  CHECK(where(images, [](const Dims& at) { return at[2] >= 3 && at[2] <= 5; }) ==
        Sentences{"all 1536 mismatches have axis 2 in 3..5"});
  CHECK(where(images, [](const Dims& at) { return at[2] % 2 == 1; }) ==
        Sentences{"all 2048 mismatches have axis 2 in {1, 3, 5, 7}"});
  CHECK(where(images, [](const Dims& at) { return at[3] % 4 == 1; }) ==
        Sentences{"all 1024 mismatches have 16 of 64 coordinates of axis 3, from 1 to 61"});
  CHECK(where({9, 16}, [](const Dims& at) { return at[1] == 1; }) == Sentences{"all 9 mismatches have axis 1 == 1"});
}

TEST_CASE("Axes have numbers at any rank: the first one of an RNN's output is no batch", "[compare][where]") {
  CHECK(where({2, 1, 4, 2}, [](const Dims& at) { return at[2] == 1; }) ==
        Sentences{"all 4 mismatches have axis 2 == 1"});
  CHECK(where({3, 3, 1, 1, 1, 16}, [](const Dims& at) { return at[5] == 1; }).at(0) ==
        "all 9 mismatches have axis 5 == 1");
}

TEST_CASE("Nothing is told where there is nothing to tell", "[compare][where]") {
  const Dims shape{2, 3, 8, 8};
  CHECK(where(shape, [](const Dims&) { return true; }).empty());
  CHECK(where(shape, [](const Dims&) { return false; }).empty());
  CHECK(where(shape, [](const Dims& at) { return at == Dims{1, 2, 7, 7}; }).empty());  // "first" says it
  CHECK(where(shape, [](const Dims& at) { return at[3] > 3 || at[2] > 3; }).empty());
  CHECK(where({8}, [](const Dims& at) { return at[0] < 4; }).empty());  // each has a coordinate of its own
  CHECK(where({}, [](const Dims&) { return true; }).empty());
}

TEST_CASE("An axis of any length is kept in little memory", "[compare][where]") {
  const std::int64_t size = std::int64_t{1} << 40;
  Whereabouts few(Dims{size, 2});
  for (std::int64_t i = 0; i < 20; ++i) few.add(2 * (1000 + i / 2 * 1000) + i % 2);
  CHECK(few.sentences().empty());  // from 1000 to 10000 are more coordinates than mismatches
  Whereabouts range(Dims{size, 4});
  for (std::int64_t i = 0; i < 20; ++i) range.add(4 * 1000 + i);
  CHECK(range.sentences() == Sentences{"all 20 mismatches have axis 0 in 1000..1004"});
}

}  // namespace
}  // namespace opref::compare::where_test
