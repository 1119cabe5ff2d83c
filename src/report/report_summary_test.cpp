// SPDX-License-Identifier: Apache-2.0
#include "report/report_summary.h"

#include <catch2/catch.hpp>

#include "report/report_testing.h"

namespace report_summary_test {

using namespace opref::report;

TEST_CASE("report summary: the exit code of a check", "[report]") {
  using enum Verdict;
  struct Row {
    std::vector<Verdict> verdicts;
    int plain, require_all, allow_empty;
  };
  // product.md's rule: 1 after a fail or error; 5 where nothing was judged.
  const Row rows[] = {
      {{}, 5, 5, 0},
      {{pass}, 0, 0, 0},
      {{pass, fail}, 1, 1, 1},
      {{error}, 1, 1, 1},
      {{unsupported}, 5, 1, 0},
      {{skip}, 5, 1, 0},
      {{pass, skip}, 0, 1, 0},
      {{pass, unsupported}, 0, 1, 0},
      {{fail, error}, 1, 1, 1},
  };
  for (const Row& row : rows) {
    PlainReport report;
    for (const Verdict verdict : row.verdicts) report.cases.push_back(named_case("c", verdict));
    INFO(summary_text(stored(report).cases.tally().verdicts));
    CHECK(exit_code(stored(report), {}) == row.plain);
    CHECK(exit_code(stored(report), {.require_all = true}) == row.require_all);
    CHECK(exit_code(stored(report), {.allow_empty = true}) == row.allow_empty);
  }
  // A bug in opref is no verdict on the cases: more than a failure.
  PlainReport with_bug;
  with_bug.cases = {named_case("a", pass), named_case("b", fail), named_case("c", error)};
  with_bug.cases.back().internal = true;
  CHECK(exit_code(stored(with_bug), {}) == 70);
  // A shard into which no case falls is no trouble, as long as there are cases.
  PlainReport shard;
  shard.shard = shard.shards = 2;
  CHECK(exit_code(stored(shard), {}) == 5);
  shard.all_count = 1;
  CHECK(exit_code(stored(shard), {}) == 0);
  CHECK(exit_code(stored(shard), {.require_all = true}) == 0);
  shard.cases = {named_case("c", skip)};
  CHECK(exit_code(stored(shard), {}) == 5);
}

TEST_CASE("report summary: one line", "[report]") {
  PlainReport report = full_report();
  report.cases.push_back(named_case("p", Verdict::pass));
  CHECK(summary_text(stored(report).cases.tally().verdicts) ==
        "3 cases: 1 pass, 1 fail, 1 error, 0 unsupported, 0 skip");
}

TEST_CASE("report summary: reasons, readings and outputs", "[report]") {
  PlainReport report;
  for (const char* name : {"a", "b", "c"}) report.cases.push_back(named_case(name, Verdict::unsupported));
  report.cases[0].reason = "seldom";
  report.cases[1].reason = report.cases[2].reason = "often";
  CaseRecord passing = named_case("d", Verdict::pass);
  passing.readings = {{"lp_pool.nan", "keep", "", false, {"skip"}, {}},
                      {"lp_pool.ceil_drop", "drop", "", true, {}, {"keep"}}};
  passing.outputs.resize(2);
  passing.outputs[0].comparison.count = passing.outputs[0].comparison.within_one_ulp = 3;
  passing.outputs[0].comparison.bit_equal = 2;
  passing.outputs[1].comparison.reason = "the shape is another one";
  report.cases.push_back(passing);
  passing.outputs[0].comparison.without_bound = 5;
  passing.readings.resize(1);
  report.cases.push_back(passing);
  passing.readings.clear();
  const auto judged = [](double share, std::optional<double> own) {
    OutputRecord output;
    output.comparison.bound_ratio = share;
    output.comparison.accurate_ratio = own;
    return output;
  };
  passing.outputs = {judged(0.25, std::nullopt), judged(0.5, 70.0), judged(12.5, 80.0)};
  report.cases.push_back(passing);
  CHECK(summary_lines(stored(report), 12, "") ==
        std::vector<std::string>{
            "unsupported 2: often", "unsupported 1: seldom", "reading lp_pool.ceil_drop: 0 cases depend on it, 1 may",
            "reading lp_pool.nan: 2 cases depend on it", "7 outputs: 3 equal to the bit, 2 more within 1 ULP",
            "3 outputs with a bound: 1 accurate, 1 by the page's formula, 1 beyond it; largest share 12.5",
            "5 elements without a bound of their own: such a kernel may meet Inf or NaN there",
            "6 cases: 3 pass, 0 fail, 0 error, 3 unsupported, 0 skip"});
  report.cases.clear();
  for (int i = 0; i < 14; ++i) {
    report.cases.push_back(named_case("u", Verdict::unsupported));
    report.cases.back().reason = format("reason {}", i);
  }
  const std::vector<std::string> lines = summary_lines(stored(report), 12, "");
  REQUIRE(lines.size() == 14);
  CHECK(lines[12] == "unsupported 2: 2 more reasons");
}

}  // namespace report_summary_test
