// SPDX-License-Identifier: Apache-2.0
#include "symbols/rules.h"

#include <catch2/catch.hpp>

namespace rules_test {

using namespace opref::symbols;

namespace {

const Expression kH = Expression::symbol("H", 0), kW = Expression::symbol("W", 1);
const std::vector<std::string> kNames{"H", "W"};

Expression number(std::int64_t value) { return Expression::number(value); }
Expression up(const Expression& e, std::int64_t q) { return Expression::line(e, {.b = q - 1, .q = q}); }

std::string said_of(const Condition& condition) { return condition.text(kNames); }
Rule rule(Condition condition, size_t node = 0) { return {std::move(condition), node, "it does not fit", {1, 1}}; }

std::vector<std::string> texts(const std::vector<Rule>& rules) {
  std::vector<std::string> all;
  for (const Rule& one : said(rules, kNames)) all.push_back(one.text);
  return all;
}

}  // namespace

TEST_CASE("a condition of one symbol is said of the symbol", "[symbols]") {
  CHECK(said_of({Relation::at_least, Expression::line(kH, {.c = -2}), number(3)}) == "H >= 5");
  CHECK(said_of({Relation::at_most, kH, number(512)}) == "H <= 512");
  CHECK(said_of({Relation::equal, kH, number(64)}) == "H = 64");
  CHECK(said_of({Relation::multiple, kH, number(2)}) == "H % 2 = 0");
  // 2*ceil(ceil(H/2)/16)*16 = 2*ceil(H/2)…: a size that is halved and doubled again meets the one before.
  CHECK(said_of({Relation::equal, Expression::line(up(kH, 4), {.p = 2}), up(kH, 2)}) == "H % 4 in 0, 3");
  CHECK(said_of({Relation::equal, Expression::line(up(kH, 32), {.p = 8}), up(kH, 4)}) == "H % 32 in 0, 29..31");
  CHECK(said_of({Relation::equal, kH, kW}) == "H = W");
  CHECK(said_of({Relation::multiple, Expression::product(1, std::vector{kH, kW}), number(6)}) ==
        "H*W is a multiple of 6");
  CHECK(said_of({Relation::at_most, kH, number(5000)}) == "H <= 5000");
  CHECK(said_of({Relation::at_least, kH, number(5000)}) == "H >= 5000");
}

TEST_CASE("what stands on both sides of an equality goes", "[symbols]") {
  const Condition condition(Relation::equal, Expression::product(2, std::vector{kH, kW}),
                            Expression::product(1, std::vector{kH, kH}));
  CHECK(condition.text(kNames) == "2*W = H");
}

TEST_CASE("rules that follow from others are not said, and two bounds of a node are one", "[symbols]") {
  CHECK(texts({rule({Relation::at_least, kH, number(3)}), rule({Relation::at_least, kH, number(19)}, 1)}) ==
        std::vector<std::string>{"H >= 19"});
  CHECK(texts({rule({Relation::at_least, kH, number(192)}), rule({Relation::at_most, kH, number(703)})}) ==
        std::vector<std::string>{"192 <= H <= 703"});
  CHECK(texts({rule({Relation::at_least, kH, number(192)}), rule({Relation::at_most, kH, number(703)}, 1)}).size() ==
        2);
  CHECK(texts({rule({Relation::multiple, kH, number(2)}), rule({Relation::multiple, kH, number(8)}, 1)}) ==
        std::vector<std::string>{"H % 8 = 0"});
  CHECK(texts({rule({Relation::equal, kH, kW}), rule({Relation::at_most, kH, number(5000)}),
               rule({Relation::at_least, kH, number(2)})}) == std::vector<std::string>{"H <= 5000", "H >= 2", "H = W"});
}

TEST_CASE("a condition that broadcasts takes ones", "[symbols]") {
  const Condition condition(Relation::broadcast, kH, kW);
  for (const auto& [sizes, holds] :
       std::vector<std::pair<Assignment, bool>>{{{4, 4}, true}, {{1, 4}, true}, {{4, 1}, true}, {{4, 3}, false}})
    CHECK(condition.holds(sizes) == holds);
}

}  // namespace rules_test
