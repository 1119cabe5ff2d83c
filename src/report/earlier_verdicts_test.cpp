// SPDX-License-Identifier: Apache-2.0
#include "report/earlier_verdicts.h"

#include <algorithm>
#include <catch2/catch.hpp>

#include "io/folder_testing.h"
#include "report/report_json.h"
#include "report/report_testing.h"

namespace earlier_verdicts_test {

using namespace opref::report;

namespace {

PlainReport run_of(std::vector<CaseRecord> cases) {
  PlainReport report;
  report.opref = "0.1.0";
  report.cases = std::move(cases);
  return report;
}

CaseRecord failing(std::string name, std::string cause) {
  CaseRecord record = named_case(std::move(name), Verdict::fail);
  record.causes = {{cause, "", ""}};
  record.explained_by = record.cause = std::move(cause);
  return record;
}

CaseRecord with_share(std::string name, double share) {
  CaseRecord record = named_case(std::move(name), Verdict::pass);
  record.outputs.push_back({.name = "Y", .type = "", .rule = "", .comparison = {}, .description = "", .errors = {}});
  record.outputs[0].comparison.bound_ratio = share;
  return record;
}

Baseline compared(const PlainReport& before, const PlainReport& now, const ExitRules& rules = {}) {
  const TemporaryFolder folder;
  folder.write("before.json", text_of(json_document, before));
  return EarlierVerdicts(folder / "before.json", "before.json").changes(stored(now), rules);
}

/// "fixed a", …
std::vector<std::string> told(const Baseline& baseline) {
  std::vector<std::string> texts;
  for (const CaseChange& change : baseline.changes)
    texts.push_back(std::string(name(change.change)) + " " + change.name);
  return texts;
}

using Texts = std::vector<std::string>;

}  // namespace

TEST_CASE("report diff: a case has the change that matters most", "[report][diff]") {
  const PlainReport before =
      run_of({failing("a", "A"), named_case("b", Verdict::pass), failing("c", "A"), failing("d", "A"),
              with_share("e", 0.5), with_share("f", 0.5), with_share("g", 0.5), named_case("h", Verdict::pass),
              named_case("i", Verdict::pass), named_case("j", Verdict::error)});
  const PlainReport now =
      run_of({named_case("a", Verdict::pass), failing("b", "A"), failing("c", "B"), failing("d", "A"),
              with_share("e", 0.75), with_share("f", 2), with_share("g", 0.5), named_case("i", Verdict::unsupported),
              named_case("j", Verdict::skip), failing("k", "A"), named_case("l", Verdict::pass)});
  const Baseline baseline = compared(before, now);
  CHECK(told(baseline) == Texts{"new_failure b", "new_failure k", "fixed a", "other_verdict i", "other_verdict j",
                                "other_cause c", "other_share f", "other_share e", "added l", "gone h"});
  CHECK(baseline.known_failures == 2);
  CHECK(changes_text(baseline) ==
        "2 new failures, 1 fixed, 2 other verdicts, 1 other cause, 2 other shares, 1 added, 1 gone; 2 cases fail as "
        "before");
  CHECK(change_lines(baseline, 1) == Texts{"compared with before.json:", "new failures: 2", "  b: pass, now fail: A",
                                           "  … 1 more", "fixed: 1", "  a: fail, now pass", "other verdicts: 2",
                                           "  i: pass, now unsupported: it is i", "  … 1 more", "other causes: 1",
                                           "  c: A, now B", "other shares: 2", "  f: share 0.5, now 2", "  … 1 more",
                                           "added: 1", "  l: pass", "gone: 1", "  h: pass, now not there"});
  const Baseline strict = compared(before, now, {.require_all = true});
  CHECK(told(strict)[1] == "new_failure i");
  CHECK(strict.known_failures == 3);
}

TEST_CASE("report diff: the same cause in other words is no change", "[report][diff]") {
  CaseRecord before = named_case("a", Verdict::error), now = before;
  before.reason = "line 3 of '/tmp/1' is wrong";
  now.reason = "line 40 of '/tmp/2' is wrong";
  CHECK(compared(run_of({before}), run_of({now})).changes.empty());
  now.reason = "line 40 of '/tmp/2' is missing";
  CHECK(told(compared(run_of({before}), run_of({now}))) == Texts{"other_cause a"});
  now = failing("b", "B");  // chosen for other cases' sake
  now.causes.push_back({"A", "", ""});
  CHECK(compared(run_of({failing("b", "A")}), run_of({now})).changes.empty());
}

TEST_CASE("report diff: what differs between the runs is said", "[report][diff]") {
  PlainReport before = run_of({named_case("a", Verdict::pass)}), now = run_of({named_case("b", Verdict::pass)});
  now.opref = "0.2.0";
  now.backend = "runner x";
  now.rule = "4 ULP";
  CHECK(compared(before, now).differences == Texts{"the version of opref is 0.2.0, was 0.1.0",
                                                   "the backend is runner x, was opref itself",
                                                   "the rule is 4 ULP, was each case's own"});
  CHECK(told(compared(before, now)) == Texts{"added b", "gone a"});
  set_names(now, {"b"});
  now.filtered = true;
  CHECK(told(compared(before, now)) == Texts{"added b"});
  before.complete = false;
  CHECK(compared(before, now).changes.empty());
  CHECK(compared(before, now).differences.size() == 5);
  now.cases = {failing("b", "A")};  // whether it failed is not known
  CHECK(told(compared(before, now)) == Texts{"new_failure b"});
}

TEST_CASE("report diff: new failures decide the exit code", "[report][diff]") {
  const PlainReport good = run_of({named_case("a", Verdict::pass)}), bad = run_of({failing("a", "A")});
  const auto code = [](const PlainReport& before, const PlainReport& now) {
    CheckReport report = stored(now);
    report.baseline = compared(before, now);
    return exit_code(report, {});
  };
  CHECK(code(good, bad) == 1);
  CHECK(code(bad, bad) == 0);
  CHECK(code(bad, good) == 0);
  CHECK(code(good, run_of({named_case("a", Verdict::unsupported)})) == 5);
}

TEST_CASE("junit: a known failure is skipped, a new one fails", "[report][junit]") {
  const PlainReport before = run_of({failing("a", "A"), named_case("b", Verdict::pass)});
  CheckReport report = stored(run_of({failing("a", "A"), failing("b", "A")}));
  report.baseline = compared(before, plain(report));
  const std::string text = text_of(junit_document, report);
  CHECK(text.find(R"(tests="2" failures="1" errors="0")") != std::string::npos);
  CHECK(text.find(R"(skipped="1")") != std::string::npos);
  CHECK(text.find(R"(<skipped type="fail" message="fail, as in before.json: it is a; reproduced by: A")") !=
        std::string::npos);
  CHECK(text.find("<failure ") > text.find("<skipped "));
}

}  // namespace earlier_verdicts_test
