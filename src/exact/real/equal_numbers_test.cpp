// SPDX-License-Identifier: Apache-2.0
#include "exact/real/equal_numbers.h"

#include <catch2/catch.hpp>

#include "exact/real/with_precision.h"

namespace opref::exact::equal_numbers_test {

TEST_CASE("equal numbers are found in any order, however they were made", "[real]") {
  const WithPrecision precision(768);
  const Interval third = Interval(1.0) / Interval(3.0), root = sqrt(Interval(2.0)), one(1.0);
  const std::vector<Interval> numbers{root, one,  third + third, third, root * root * third, third * Interval(3.0),
                                      root, -one, one - third};
  CHECK(ranks(numbers) == std::vector<std::size_t>{4, 3, 2, 1, 2, 3, 4, 0, 2});
  CHECK(ranks({}).empty());
}

TEST_CASE("numbers beside each other, and those of which it is not known, are not equal", "[real]") {
  const WithPrecision precision(96);
  const Interval third = Interval(1.0) / Interval(3.0), e = exp(Interval(1.0));
  const std::vector<Interval> numbers{third,         third + Interval(0x1p-300), e, exp(Interval(1.0)),
                                      Interval(0.0), Interval(0x1p-1074)};
  CHECK(ranks(numbers) == std::vector<std::size_t>{2, 3, 4, 5, 0, 1});
}

}  // namespace opref::exact::equal_numbers_test
