// SPDX-License-Identifier: Apache-2.0
#include "report/merge.h"

#include <algorithm>
#include <catch2/catch.hpp>

#include "core/error.h"
#include "io/folder_testing.h"
#include "report/report_json.h"
#include "report/report_testing.h"

namespace report_merge_test {

using namespace opref::report;

namespace {

struct NamedReport {
  std::string file;
  PlainReport report;
};

CheckReport merge_reports(const std::vector<NamedReport>& reports) {
  const TemporaryFolder folder;
  Merge merge;
  for (const NamedReport& named : reports) {
    folder.write(named.file, text_of(json_document, named.report));
    merge.add(folder / named.file, named.file);
  }
  return merge.finish();
}

/// Shards 1 to 3 of a run of five cases; the third one has none.
std::vector<NamedReport> three_shards() {
  std::vector<NamedReport> reports;
  for (int shard = 1; shard <= 3; ++shard) {
    PlainReport report = full_report();
    report.shard = shard;
    report.missing.clear();
    report.started = shard == 2 ? "2026-11-21T09:59:59Z" : "2026-11-21T10:00:00Z";
    report.cases.clear();
    reports.push_back({"shard-" + std::to_string(shard) + ".json", std::move(report)});
  }
  reports[0].report.cases = {named_case("b", Verdict::pass), named_case("e", Verdict::fail)};
  reports[1].report.cases = {named_case("a", Verdict::skip), named_case("c", Verdict::pass),
                             named_case("d", Verdict::error)};
  return reports;
}

/// The same error in every order of the reports.
void refuses(std::vector<NamedReport> reports, const std::string& message) {
  std::ranges::sort(reports, {}, &NamedReport::file);
  do {
    try {
      merge_reports(reports);
      FAIL("they are merged");
    } catch (const Error& error) {
      CHECK(error.fault() == Fault::usage);
      CHECK(error.message() == message);
    }
  } while (std::ranges::next_permutation(reports, {}, &NamedReport::file).found);
}

}  // namespace

TEST_CASE("merge: all cases, sorted, in whatever order the reports come", "[report][merge]") {
  std::vector<NamedReport> reports = three_shards();
  const std::string first = text_of(json_document, merge_reports(reports));
  const PlainReport merged = read_plain(first, "merged");
  CHECK((merged.shard == 1 && merged.shards == 1));
  CHECK(merged.started == "2026-11-21T09:59:59Z");
  std::vector<std::string> names;
  for (const CaseRecord& record : merged.cases) names.push_back(record.name);
  CHECK(names == std::vector<std::string>{"a", "b", "c", "d", "e"});
  CHECK(merged.all_count == 5);
  CHECK(merged.cases[4].verdict == Verdict::fail);
  while (std::ranges::next_permutation(reports, {}, &NamedReport::file).found)
    CHECK(text_of(json_document, merge_reports(reports)) == first);
  CHECK(text_of(json_document, merge_reports(std::vector<NamedReport>{{"merged", merged}})) == first);
}

TEST_CASE("merge: a missing or double shard is named", "[report][merge]") {
  std::vector<NamedReport> reports = three_shards();
  reports.pop_back();
  refuses(reports, "of 3 shards, 1 is missing: 3");
  reports.erase(reports.begin());
  refuses(reports, "of 3 shards, 2 are missing: 1, 3");
  reports = three_shards();
  reports.push_back(reports[1]);
  reports[3].file = "again.json";
  refuses(reports, "shard 2 of 3 is there twice: again.json and shard-2.json");
  for (NamedReport& named : reports) named.report.shards = 2147483647;
  reports.pop_back();
  refuses(reports, "of 2147483647 shards, 2147483644 are missing: 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, …");
  refuses({}, "there is no report to merge");
}

TEST_CASE("merge: a shard of another run is named, with what differs", "[report][merge]") {
  const std::string other = "shard-2.json is of another run than shard-1.json: ";
  std::vector<NamedReport> reports = three_shards();
  reports[1].report.opref = "0.2.0";
  refuses(reports, other + "its version of opref is 0.2.0, not 0.1.0");
  reports = three_shards();
  reports[1].report.rule = "";
  refuses(reports, other + "its rule is (none), not 4 ULP");
  reports = three_shards();
  reports[1].report.backend = "outputs board";
  refuses(reports, other + "its backend is outputs board, not runner ./board {model}");
  reports = three_shards();
  reports[1].report.shards = 4;
  refuses(reports, other + "its number of shards is 4, not 3");
  reports = three_shards();
  set_names(reports[1].report, {"a", "b", "c", "d"});
  refuses(reports, other + "its number of cases in all shards is 4, not 5");
  reports = three_shards();
  set_names(reports[1].report, {"a", "b", "bb", "c", "d"});
  refuses(reports, other + "its digest of the names of all cases is " + reports[1].report.all_sha256 + ", not " +
                       reports[0].report.all_sha256);
}

TEST_CASE("merge: every case is in one shard", "[report][merge]") {
  std::vector<NamedReport> reports = three_shards();
  reports[1].report.cases.erase(reports[1].report.cases.begin());
  reports[1].report.missing = {"a"};
  reports[0].report.cases.pop_back();
  reports[0].report.missing = {"e"};
  refuses(reports, "case 'a' is in no report, 2 missing in all; a shard ended early");
  reports[1].report.missing = reports[0].report.missing = {};
  refuses(reports, "the reports have 3 cases, but the run was of 5");
  reports = three_shards();
  reports[2].report.cases = {named_case("b", Verdict::pass)};
  refuses(reports, "case 'b' is there twice: in shard-1.json and shard-3.json");
  reports = three_shards();
  reports[2].report.cases = {named_case("f", Verdict::pass)};
  refuses(reports, "the reports have 6 cases, but the run was of 5");
  reports[0].report.cases.pop_back();
  PlainReport others;
  set_names(others, {"a", "b", "c", "d", "f"});
  refuses(reports, "the reports have other cases than the run was of: the digest of their names is " +
                       others.all_sha256 + ", not " + reports[0].report.all_sha256);
}

TEST_CASE("merge: what shards differ in and may", "[report][merge]") {
  std::vector<NamedReport> reports = three_shards();
  reports[1].report.options = "--timeout 7";
  reports[2].report.commit = "ffff";
  const CheckReport merged = merge_reports(reports);
  CHECK((merged.options == "differ" && merged.commit.empty()));
}

}  // namespace report_merge_test
