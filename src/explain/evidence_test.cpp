// SPDX-License-Identifier: Apache-2.0
#include "explain/evidence.h"

#include <catch2/catch.hpp>

namespace evidence_test {

using namespace opref::explain;

using Values = std::vector<std::string>;

TEST_CASE("evidence: the chance that a wrong rule fits", "[explain]") {
  // Of two other rules each gives one of the elements: (1 + 1) / (2 + 2) twice.
  Evidence two(2);
  for (const Values& rule : {Values{"1", "2"}, Values{"1", "3"}, Values{"4", "2"}, Values{"4", "2"}}) two.add(rule);
  CHECK(two.chance({"1", "2"}) == 0.25);
  CHECK(two.doubt({"1", "2"}) == "weak evidence: 1 in 4 other mistakes would give these 2 elements too");
  // None of the three gives it: 1 / (3 + 2) twice.
  CHECK(two.chance({"7", "7"}) == 0.2 * 0.2);
}

TEST_CASE("evidence: one element of which few rules were tried says little, many elements say enough", "[explain]") {
  Evidence one(1);
  one.add({"1"});
  CHECK(one.doubt({"1"}) == "weak evidence: 1 in 2 other mistakes would give this element too");
  Evidence ten(10);
  ten.add(Values(10, "1"));
  CHECK(ten.doubt(Values(10, "1")).empty());  // 2^-10
  CHECK(Evidence(0).doubt({}).empty());
}

}  // namespace evidence_test
