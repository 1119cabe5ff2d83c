// SPDX-License-Identifier: Apache-2.0
#include "check/earlier_run.h"

#include <catch2/catch.hpp>

#include "core/error.h"
#include "io/folder_testing.h"
#include "report/report_json.h"
#include "report/report_testing.h"

namespace earlier_run_test {

using namespace opref::check;
using namespace opref::report;

TEST_CASE("earlier run: records hold for the same run, case, path and files", "[check]") {
  const TemporaryFolder folder;
  PlainReport report = full_report();
  report.cases = {named_case("a", Verdict::pass), named_case("b", Verdict::error), named_case("c", Verdict::error)};
  for (CaseRecord& record : report.cases) record.files = "digest of " + record.name;
  report.cases[1].transient = true;
  write_document(json_document, stored(report), folder / "r.json");
  const auto found = [](const std::string& name) { return FoundCase{name, "cases/" + name + ".json"}; };
  const EarlierRun earlier(folder / "r.json", report);
  CHECK((earlier.why_none().empty() && earlier.count() == 3));
  REQUIRE(earlier.find(found("a"), "digest of a"));
  CHECK((earlier.find(found("a"), "digest of a")->name == "a" && earlier.find(found("a"), "digest of a")->taken_over));
  CHECK(earlier.find(found("c"), "digest of c")->verdict == Verdict::error);
  CHECK_FALSE(earlier.find(found("b"), "digest of b"));
  CHECK_FALSE(earlier.find(found("a"), "digest of c"));
  CHECK_FALSE(earlier.find(found("a"), ""));
  CHECK_FALSE(earlier.find({"a", "elsewhere/a.json"}, "digest of a"));
  CHECK_FALSE(earlier.find(found("d"), "digest of d"));

  const std::pair<std::string RunRecord::*, std::string> members[] = {{&RunRecord::opref, "version of opref"},
                                                                      {&RunRecord::commit, "commit of opref"},
                                                                      {&RunRecord::backend, "backend"},
                                                                      {&RunRecord::rule, "rule"},
                                                                      {&RunRecord::options, "options"}};
  for (const auto& [member, what] : members) {
    RunRecord other = report;
    other.*member = "other";
    const EarlierRun none(folder / "r.json", other);
    CHECK(none.why_none() == format("its {} is {}, not other", what, report.*member));
    CHECK_FALSE(none.find(found("a"), "digest of a"));
  }
  RunRecord other = report;
  other.shard = other.shards = 1;
  CHECK(EarlierRun(folder / "r.json", other).find(found("a"), "digest of a"));
  const EarlierRun absent(folder / "none.json", report);
  CHECK((absent.why_none().empty() && absent.count() == 0 && !absent.find(found("a"), "digest of a")));
}

}  // namespace earlier_run_test
