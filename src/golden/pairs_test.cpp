// SPDX-License-Identifier: Apache-2.0
#include "golden/pairs.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <numeric>
#include <set>

#include "golden/recipe_testing.h"
#include "io/json/json.h"

namespace pairs_test {

using namespace opref::golden;

namespace {

using Row = std::vector<size_t>;
using Pair = std::array<size_t, 4>;  ///< factor, value, factor, value

std::vector<Row> product(const Row& sizes) {
  std::vector<Row> rows(1);
  for (const size_t size : sizes) {
    std::vector<Row> longer;
    for (const Row& row : rows)
      for (size_t value = 0; value < size; ++value) {
        longer.push_back(row);
        longer.back().push_back(value);
      }
    rows = std::move(longer);
  }
  return rows;
}

bool is_excluded(const Row& row, const std::vector<Exclusion>& exclusions) {
  return std::ranges::any_of(exclusions, [&](const Exclusion& exclusion) {
    Row values;
    for (const size_t factor : exclusion.factors) values.push_back(row[factor]);
    return exclusion.excludes(values);
  });
}

std::set<Pair> pairs_of(const std::vector<Row>& rows) {
  std::set<Pair> pairs;
  for (const Row& row : rows)
    for (size_t a = 0; a < row.size(); ++a)
      for (size_t b = a + 1; b < row.size(); ++b) pairs.insert({a, row[a], b, row[b]});
  return pairs;
}

/// All rows that no exclusion has, one by one.
std::vector<Row> allowed(const Row& sizes, const std::vector<Exclusion>& exclusions) {
  std::vector<Row> rows = product(sizes);
  std::erase_if(rows, [&](const Row& row) { return is_excluded(row, exclusions); });
  return rows;
}

/// What the cases have at some paths, as one line each: null where they have nothing.
std::set<std::string> values_at(const std::vector<GoldenCase>& cases,
                                const std::vector<std::vector<std::string>>& paths) {
  std::set<std::string> found;
  for (const GoldenCase& golden : cases) {
    Json line = Json::list();
    for (const std::vector<std::string>& path : paths) {
      std::optional<JsonValue> value = golden.stated.root();
      for (const std::string& key : path)
        if (value) value = value->find(key);
      value ? line.append(*value) : line.append(nullptr);
    }
    found.insert(line.line());
  }
  return found;
}

}  // namespace

TEST_CASE("pairs: any two values of two factors are in one row, and the rows are few", "[recipes]") {
  for (const auto& [sizes, most] : std::vector<std::pair<Row, size_t>>{{{3, 3}, 9},
                                                                       {{2, 2, 2}, 5},
                                                                       {{3, 3, 3, 3}, 13},
                                                                       {Row(10, 2), 12},
                                                                       {Row(13, 3), 30},
                                                                       {{12, 6, 3, 2, 2, 2, 2}, 76},
                                                                       {{1, 4, 1}, 4},
                                                                       {{5, 4, 3, 2, 1}, 23}}) {
    INFO(::Catch::Detail::stringify(sizes));
    const std::vector<Row> rows = covering_rows(sizes, {});
    CHECK(pairs_of(rows).size() == count_pairs(sizes));
    CHECK(rows.size() <= most);
    CHECK(std::ranges::is_sorted(rows));
    CHECK(rows == covering_rows(sizes, {}));
  }
  CHECK(count_pairs(Row{3, 4, 5}) == 12 + 15 + 20);
  CHECK(count_pairs(Row{size_t{1} << 32, size_t{1} << 32, 7}) == UINT64_MAX);
}

TEST_CASE("pairs: with rules exactly those pairs are in a row that can be", "[recipes]") {
  const Row sizes = {4, 3, 3, 2, 2};
  const auto equal = [](std::span<const size_t> values) { return values[0] == values[1]; };
  const auto sum = [](size_t rest) {
    return [rest](std::span<const size_t> values) {
      return std::accumulate(values.begin(), values.end(), size_t{0}) % 3 == rest;
    };
  };
  const auto never = [](std::span<const size_t> values) { return values[0] == 0; };
  for (const std::vector<Exclusion>& exclusions :
       std::vector<std::vector<Exclusion>>{{{{0, 1}, equal}},
                                           {{{0, 1}, equal}, {{1, 2}, equal}, {{0, 2}, equal}, {{3, 4}, equal}},
                                           {{{0, 1, 2}, sum(0)}, {{1, 2, 3}, sum(1)}},
                                           {{{0, 1, 2}, sum(0)}, {{0, 1, 2}, sum(1)}, {{3}, never}},
                                           {{{}, [](auto) { return true; }}}}) {
    const std::vector<Row> rows = covering_rows(sizes, exclusions);
    CHECK(pairs_of(rows) == pairs_of(allowed(sizes, exclusions)));
    CHECK(std::ranges::none_of(rows, [&](const Row& row) { return is_excluded(row, exclusions); }));
  }
}

TEST_CASE("recipes: pairs of a version, a type, shapes and attributes", "[recipes]") {
  const std::string recipe = R"({"op_type": "MaxPool", "opset": "every", "pairs": true,
      "attributes": {"kernel_shape": [3], "strides": {"each": [null, [2]]}, "dilations": {"each": [null, [2]]},
                     "pads": {"each": [null, [1, 1]]}, "auto_pad": {"each": [null, "SAME_UPPER", "VALID"]},
                     "ceil_mode": {"each": [null, 1]}},
      "inputs": {"X": {"dtype": "every", "shape": {"each": [[1, 1, 9], [2, 3, 8]]}, "fill": {"each": ["integers", "special"]}}},
      "where": [{"attributes.pads": [[1, 1]], "attributes.auto_pad": ["SAME_UPPER", "VALID"]}]})";
  const std::vector<GoldenCase> cases = expanded(recipe);
  CHECK(cases.size() < 60);  // of more than 3,000
  std::vector<std::string> refused;
  for (const GoldenCase& golden : cases)
    if (const auto refusal = refusal_of(golden, {})) refused.push_back(golden.name + ": " + refusal->message);
  CHECK(refused == std::vector<std::string>{});
  // Before version 12 floats alone, dilations and ceil_mode since 10.
  const auto at = [&](const std::vector<std::string>& one, const std::vector<std::string>& other) {
    return values_at(cases, {one, other}).size();
  };
  const std::vector<std::string> opset = {"opset"}, type = {"inputs", "X", "dtype"},
                                 dilations = {"attributes", "dilations"}, pads = {"attributes", "pads"},
                                 auto_pad = {"attributes", "auto_pad"}, shape = {"inputs", "X", "shape"};
  CHECK(at(opset, type) == 4 * 3 + 5 + 6);
  CHECK(at(opset, dilations) == 2 + 4 * 2);
  CHECK(at(type, dilations) == 6 * 2);
  CHECK(at(pads, auto_pad) == 2 + 2);
  CHECK(at(opset, auto_pad) == 6 * 3);
  CHECK(at(type, shape) == 6 * 2);
}

TEST_CASE("recipes: pairs of what stands in lists and in values of each", "[recipes]") {
  const std::vector<GoldenCase> cases = expanded(R"({"op_type": "LpPool", "opset": 22, "pairs": true,
      "attributes": {"each": [{"kernel_shape": [3]}, {"kernel_shape": {"each": [[2], [4]]}, "p": {"each": [1, 3]}}]},
      "inputs": {"X": {"dtype": "float32", "shape": [{"each": [0, 1]}, 2, {"each": [8, 9, 10]}], "fill": "normal"}}})");
  CHECK(values_at(cases, {{"attributes"}, {"inputs", "X", "shape"}}).size() == cases.size());
  CHECK(cases.size() == 5 * 3);  // each shape's three lengths with each of the five
  CHECK(expanded(R"({"op_type": "LpPool", "pairs": false, "opset": {"each": [18, 22]}})").size() == 2);
}

TEST_CASE("recipes: mistakes in those with pairs", "[recipes]") {
  const auto recipe = [](const std::string& more) { return R"({"op_type": "LpPool", "pairs": true, )" + more + "}"; };
  CHECK(error_of_recipe(R"({"op_type": "LpPool", "pairs": ["opset"]})") ==
        "'pairs' is a list, but must be a boolean\n  in r.json");
  CHECK(error_of_recipe(recipe(R"("opset": 22)")) ==
        "'pairs' needs two 'each' or more, but there is none\n  in r.json");
  CHECK(error_of_recipe(recipe(R"("opset": {"each": [18, 22]})")) ==
        "'pairs' needs two 'each' or more, but there is one, 'opset'\n  in r.json");
  CHECK(error_of_recipe(recipe(R"("opset": {"each": [18, 22]}, "attributes": {"p": {"each": []}})")) ==
        "'attributes.p.each' is empty\n  in r.json");
  CHECK(error_of_recipe(recipe(
            R"("opset": {"each": [18, 22]}, "attributes": {"p": {"each": [1, 2]}}, "where": [{"opset": [11]}])")) ==
        "'where[0].opset[0]' is 11, but opset is one of 18, 22\n  in r.json");
  CHECK(error_of_recipe(recipe(
            R"("opset": {"each": [18, 22]}, "attributes": {"p": {"each": [1, 2]}}, "where": [{"opset": [18, 22]}])")) ==
        "'where' drops all combinations\n  in r.json");
  CHECK(error_of_recipe(recipe(R"("opset": {"each": [1, 2]}, "attributes": {"ceil_mode": {"each": [0, 1]}})")) ==
        "no version has what the combinations state\n  in r.json");
  std::string thousand = "0";
  for (int i = 1; i < 1001; ++i) thousand += "," + std::to_string(i);
  CHECK(error_of_recipe(
            recipe(R"("opset": {"each": [)" + thousand + R"(]}, "attributes": {"p": {"each": [)" + thousand + "]}}")) ==
        "there are 1002001 pairs, but at most 1000000 are made at a time: split the recipe\n  in r.json");
  const std::string tens = R"({"each": [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]})";
  std::string nested = "[";
  for (int i = 0; i < 25; ++i) nested += (i > 0 ? "," : "") + tens;
  CHECK(error_of_recipe(recipe(R"("opset": {"each": [18, 22]}, "attributes": {"p": {"each": [)" + nested + "]]}}"))
            .starts_with("there are more than 10^19 pairs, but"));
}

}  // namespace pairs_test
