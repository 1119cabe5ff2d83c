#include "check/report_summary.h"

#include <catch2/catch.hpp>

#include "check/report_testing.h"

using namespace opref;

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
    CheckReport report;
    for (const Verdict verdict : row.verdicts) report.cases.push_back(named_case("c", verdict));
    const VerdictCounts counts = count_verdicts(report);
    INFO(summary_text(counts));
    CHECK(exit_code(counts, {}) == row.plain);
    CHECK(exit_code(counts, {.require_all = true}) == row.require_all);
    CHECK(exit_code(counts, {.allow_empty = true}) == row.allow_empty);
  }
}

TEST_CASE("report summary: one line", "[report]") {
  CheckReport report = full_report();
  report.cases.push_back(named_case("p", Verdict::pass));
  CHECK(summary_text(count_verdicts(report)) == "3 cases: 1 pass, 1 fail, 1 error, 0 unsupported, 0 skip");
}
