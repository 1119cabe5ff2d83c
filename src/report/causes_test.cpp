// SPDX-License-Identifier: Apache-2.0
#include "report/causes.h"

#include <catch2/catch.hpp>

#include "report/document.h"
#include "report/name_filter.h"
#include "report/report_testing.h"

namespace causes_test {

using namespace opref::report;
using opref::core::format;

namespace {

CaseRecord failing(std::string name, const std::vector<std::string>& causes) {
  CaseRecord record = named_case(std::move(name), Verdict::fail);
  for (const std::string& cause : causes)
    record.causes.push_back({cause, "what " + cause + " means", "https://a.b/" + cause});
  record.unexplained = causes.empty();
  return record;
}

CheckReport settled(const PlainReport& cases) {
  CheckReport report = stored(cases);
  settle_causes(report, [&](const std::function<void(const std::string&)>& visit) {
    for (const CaseRecord& record : cases.cases) visit(record.name);
  });
  return report;
}

PlainReport report_of(std::vector<CaseRecord> cases) { return plain(settled({{}, std::move(cases)})); }

std::vector<std::string> chosen(const PlainReport& report) {
  std::vector<std::string> names;
  for (const CaseRecord& record : report.cases) names.push_back(record.cause);
  return names;
}

std::string filter_of(const std::vector<std::string>& names, const std::vector<std::string>& all) {
  NameFilter::Search search;
  for (const std::string& name : names) search.add(name);
  for (const std::string& name : all)
    if (std::ranges::count(names, name) == 0) search.avoid(name);
  return search.expression();
}

}  // namespace

TEST_CASE("causes: of those that fit equally, the one that fits most cases of the run", "[report]") {
  // b alone fits the first and the third: it explains more than a and c.
  const PlainReport report =
      report_of({failing("1", {"a", "b"}), failing("2", {"c", "b"}), failing("3", {"b"}), failing("4", {"c"})});
  CHECK(chosen(report) == std::vector<std::string>{"b", "b", "b", "c"});
  REQUIRE(report.causes.size() == 2);
  CHECK((report.causes[0].cause == "b" && report.causes[0].count == 3 && report.causes[0].example == "1"));
  CHECK((report.causes[1].cause == "c" && report.causes[1].count == 1 && report.causes[1].link == "https://a.b/c"));
  // The others stay listed.
  CHECK(explanation_lines(report.cases[0]) == std::vector<std::string>{"reproduced by: b", "or by: a"});
  // Where two fit as many, the plainest stays.
  CHECK(chosen(report_of({failing("1", {"x", "y"}), failing("2", {"x", "y"})})) == std::vector<std::string>{"x", "x"});
}

TEST_CASE("causes: a doubt about several is said once", "[report]") {
  CaseRecord doubted = failing("1", {"a", "b"});
  doubted.doubt = "weak evidence: 1 in 9";
  const PlainReport report = report_of({doubted});
  CHECK(explanation_lines(report.cases[0]) ==
        std::vector<std::string>{"reproduced by: a", "or by: b", "each of these: weak evidence: 1 in 9"});
}

TEST_CASE("causes: the rule by which a cause fits is said, and counts apart from nothing", "[report]") {
  CaseRecord by_rule = failing("1", {"reading a.b=c"});
  by_rule.within = "rtol 0.001, atol 0";
  const PlainReport report = report_of({by_rule, failing("2", {"reading a.b=c"}), failing("3", {})});
  CHECK(report.cases[0].explained_by == "reading a.b=c (rtol 0.001, atol 0)");
  CHECK(report.cases[1].explained_by == "reading a.b=c");
  REQUIRE(report.causes.size() == 2);
  CHECK(report.causes[0].count == 2);
  CHECK(report.causes[1].cause == "no known mistake explains this difference");
  CHECK(explanation_lines(report.cases[2]) == std::vector<std::string>{"no known mistake explains this difference"});
}

TEST_CASE("causes: errors that differ in numbers only are one", "[report]") {
  std::vector<CaseRecord> cases;
  for (const char* name : {"1", "2", "3"}) cases.push_back(named_case(name, Verdict::error));
  cases[0].reason = "no memory for 1024 bytes at 7";
  cases[1].reason = "no memory for 99 bytes at 12";
  cases[2].reason = "no memory for bytes";
  cases.push_back(named_case("4", Verdict::pass));
  const PlainReport report = report_of(cases);
  REQUIRE(report.causes.size() == 2);
  CHECK((report.causes[0].count == 2 && report.causes[0].cause == "no memory for 1024 bytes at 7"));
  CHECK(report.cases[3].cause.empty());
}

TEST_CASE("causes: errors that differ in lists of numbers only are one", "[report]") {
  std::vector<CaseRecord> cases;
  for (int i = 0; i < 6; ++i) cases.push_back(named_case(std::to_string(i), Verdict::error));
  cases[0].reason = "Given X.shape=(3, 3), output_shape=[6], pads=[[0 0]], size=-2.5e-3, but got 4.";
  cases[1].reason =
      "Given X.shape=(3, 3, 12), output_shape=[np.int64(8), np.int64(9)], pads=[[1 1]], size=2x3, but got 5.";
  cases[2].reason = "Given X.shape=(3,), output_shape=[np.float32(8.5)], pads=[[-1 1]], size=1, but got 5.";
  cases[3].reason = "Given Y.shape=(3,), output_shape=[6], pads=[[-1 1]], size=1, but got 5.";
  cases[4].reason = "axis(3) is refused";
  cases[5].reason = "rank is refused";
  const PlainReport report = report_of(cases);
  REQUIRE(report.causes.size() == 4);
  CHECK((report.causes[0].count == 3 && report.causes[0].cause == cases[0].reason));
}

TEST_CASE("causes: what differs counts as one, whatever the numbers, and nothing known stands last", "[report]") {
  std::vector<CaseRecord> cases = {failing("1", {}), failing("2", {}), failing("3", {"a"})};
  for (const char* name : {"4", "5"}) {  // nobody looked for their causes
    cases.push_back(named_case(name, Verdict::fail));
    cases.back().outputs = {failing_output()};
    cases.back().reason = format("[1,{}] of Y is NaN instead of 1", name);  // no word of it decides
    cases.back().output_differs = true;
  }
  cases.push_back(named_case("6", Verdict::fail));  // another output is missing, which came first
  cases.back().outputs = {failing_output()};
  cases.back().reason = "output 'Y' and the like are missing";

  const PlainReport report = report_of(cases);
  REQUIRE(report.causes.size() == 4);
  CHECK((report.causes[0].cause == "output 'Y' differs" && report.causes[0].count == 2));
  CHECK(report.causes[1].cause == "a");
  CHECK(report.causes[2].cause == "output 'Y' and the like are missing");
  CHECK((report.causes[3].cause == kNothingKnown && report.causes[3].count == 2));
  // It is there however few rows are asked for.
  CHECK(
      cause_lines(stored(report), 1, "--filter") ==
      std::vector<std::string>{"causes of 6 cases that do not pass:", "  2 fail: output 'Y' differs (shares up to 3.5)",
                               "      the search for causes did not end: none was found until then",
                               "      4; --filter '^(4|5)$'", "  2 fail: no known mistake explains this difference",
                               "      opref tried readings, other arithmetic and known mistakes",
                               "      1; --filter '^(1|2)$'", "  2 cases with 2 more causes"});
}

TEST_CASE("causes: a filter that does not fit beside its example has a line of its own", "[report]") {
  const std::string name(40, 'x');
  const std::vector<std::string> lines = cause_lines(stored(report_of({failing(name, {"a"})})), 4, "--filter");
  REQUIRE(lines.size() == 5);
  CHECK(lines[3] == "      " + name);
  CHECK(lines[4] == "      --filter '^" + name + "$'");
}

TEST_CASE("causes: errors that differ in quoted names only are one, also where they are cut off", "[report]") {
  std::vector<CaseRecord> cases;
  for (const char* name : {"1", "2", "3", "4", "5", "6"}) cases.push_back(named_case(name, Verdict::error));
  const std::string middle =
      " of a model whose description is so long that its end is not told: " + std::string(60, 'e');
  cases[0].reason = "no node \"Cast_X\"" + middle + "…";
  cases[1].reason = "no node \"Cast_input\"" + middle.substr(0, middle.size() - 4) + "…";
  cases[2].reason = "no node 'a'";
  cases[3].reason = "no node 'bc'";
  cases[4].reason = "doesn't fit; can't go on";  // no quotation marks
  cases[5].reason = "doesn't match; can't go on";
  const PlainReport report = report_of(cases);
  REQUIRE(report.causes.size() == 4);
  CHECK((report.causes[0].count == 2 && report.causes[0].cause == "no node 'a'"));
  CHECK((report.causes[1].count == 2 && report.causes[1].cause == cases[0].reason));
}

TEST_CASE("causes: the filter of a row finds exactly its cases", "[report]") {
  const std::vector<std::string> names = {"pool_f16_k2",
                                          "pool_f16_k2_ceil",
                                          "pool_f32_k2",
                                          "pool_f32_k2_ceil",
                                          "pool_f32_k3#1",
                                          "sum(a|b)",
                                          "sum.a",
                                          "sumxa",
                                          "ä",
                                          "å",
                                          "zz"};
  for (unsigned chosen_ones = 1; chosen_ones < 1U << names.size(); ++chosen_ones) {
    std::vector<std::string> some;
    for (size_t i = 0; i < names.size(); ++i)
      if ((chosen_ones >> i & 1U) != 0) some.push_back(names[i]);
    const NameFilter filter(filter_of(some, names));
    for (size_t i = 0; i < names.size(); ++i) {
      if (filter.matches(names[i]) == ((chosen_ones >> i & 1U) != 0)) continue;
      FAIL(filter_of(some, names) << " of " << names[i]);
    }
  }
  const std::vector<std::string> ceil = {names[1], names[3]};
  CHECK(filter_of(ceil, names) == "ceil");
  // Where cases were left out, other names may have the same part.
  PlainReport report =
      report_of({failing(names[1], {"a"}), failing(names[3], {"a"}), named_case(names[0], Verdict::pass)});
  CHECK(report.causes.at(0).filter == "ceil");
  report.filtered = true;
  report = plain(settled(report));
  CHECK(report.causes.at(0).filter == "^pool_f(16_k2_ceil|32_k2_ceil)$");
}

TEST_CASE("causes: the table fits a screen, and says what is left", "[report]") {
  std::vector<CaseRecord> cases;
  for (int i = 100; i < 130; ++i)
    cases.push_back(failing("case" + std::to_string(i), {"cause " + std::to_string(i / 2)}));
  const PlainReport report = report_of(cases);
  const std::vector<std::string> lines = cause_lines(stored(report), 4, "--filter");
  REQUIRE(lines.size() == 1 + 4 * 3 + 1);
  CHECK(lines[0] == "causes of 30 cases that do not pass:");
  CHECK(lines[1] == "  2 fail: cause 50");
  CHECK(lines[2] == "      what cause 50 means; https://a.b/cause 50");
  CHECK(lines[3] == "      case100; --filter '^case10(0|1)$'");
  CHECK(lines.back() == "  22 cases with 11 more causes");
  CHECK(cause_lines(stored(report), 100, "--filter").size() == 1 + 15 * 3);
  CHECK(cause_lines(stored(report_of({named_case("p", Verdict::pass)})), 4, "--filter").empty());
}

TEST_CASE("causes: the table says where the evidence is weak, and where the bits are others", "[report]") {
  CaseRecord weak = failing("1", {"a"}), near = failing("2", {"a"}), sure = failing("3", {"a"}),
             alone = failing("4", {"b"});
  weak.doubt = alone.doubt = "weak evidence: most other mistakes would give this element too";
  near.within = "rtol 0.001, atol 0";
  const CheckReport report = stored(report_of({weak, near, sure, alone}));
  const std::vector<std::string> lines = cause_lines(report, 4, "--filter");
  CHECK(lines.at(1) == "  3 fail: a (not to the bit in 1 of 3 cases, weak evidence in 1 of 3 cases)");
  CHECK(lines.at(4) == "  1 fail: b (weak evidence)");
  const std::string text = text_of(markdown_document, plain(report));
  CHECK(text.find("| **b** (weak evidence)<br>what b means") != std::string::npos);
  CHECK(cause_lines(stored(report_of({sure})), 4, "--filter").at(1) == "  1 fail: a");
  // the largest share of its cases
  sure.outputs.resize(2);
  sure.outputs[1].comparison.bound_ratio = 41;
  CHECK(cause_lines(stored(report_of({sure})), 4, "--filter").at(1) == "  1 fail: a (share 41)");
  near.outputs.resize(1);
  near.outputs[0].comparison.bound_ratio = 3.5;
  CHECK(cause_lines(stored(report_of({near, sure})), 4, "--filter").at(1) ==
        "  2 fail: a (not to the bit in 1 of 2 cases, shares up to 41)");
}

TEST_CASE("markdown: counts, causes, and nothing of a case is markup", "[report]") {
  PlainReport report = report_of({failing("a|b`c", {"[x](https://evil)"}), named_case("p", Verdict::pass)});
  report.complete = false;
  const std::string text = text_of(markdown_document, report);
  CHECK(text.starts_with("## opref check\n\n**2 cases: 1 pass, 1 fail, 0 error, 0 unsupported, 0 skip**\n"));
  CHECK(text.find("**Not complete: some cases were not judged.**") != std::string::npos);
  CHECK(text.find("| 1 | fail | **\\[x\\]\\(https://evil\\)**<br>") != std::string::npos);
  CHECK(text.find("<code>a&#124;b&#96;c</code>") != std::string::npos);
  CHECK(text.find("](https://evil)") == std::string::npos);
}

TEST_CASE("markdown: long filters are folded, and only specifications are called so", "[report]") {
  PlainReport report = report_of({failing("a", {"x"}), failing("b", {"y"}), failing("c", {"z"})});
  report.causes[0].filter = std::string(61, 'f');
  report.causes[0].link = "https://github.com/onnx/onnx/issues/1";
  report.causes[1].link = "https://onnx.ai/onnx/operators";
  report.causes[2].link = "https://evilonnx.ai/";
  const std::string text = text_of(markdown_document, report);
  CHECK(text.find("| <details><summary>filter</summary><code>" + report.causes[0].filter + "</code></details> |") !=
        std::string::npos);
  CHECK(text.find("| <code>^b$</code> |") != std::string::npos);
  CHECK(text.find("([source](https://github.com/onnx/onnx/issues/1))") != std::string::npos);
  CHECK(text.find("([specification](https://onnx.ai/onnx/operators))") != std::string::npos);
  CHECK(text.find("([source](https://evilonnx.ai/))") != std::string::npos);
}

TEST_CASE("causes: which one is chosen does not depend on what a shard chose before", "[report]") {
  // Alone, the first case would choose b; of both runs' cases a and b fit as many.
  PlainReport shard = report_of({failing("1", {"a", "b"}), failing("2", {"b"})});
  CHECK(shard.cases[0].explained_by == "b");
  shard.cases.pop_back();
  shard.cases.push_back(failing("3", {"a", "b"}));
  CHECK(chosen(report_of(shard.cases)) == std::vector<std::string>{"a", "a"});
}

TEST_CASE("causes: very many are told apart up to a limit, and very many names have no filter", "[report]") {
  std::vector<CaseRecord> cases;
  for (int i = 0; i < 1010; ++i) cases.push_back(named_case("c" + std::to_string(10000 + i), Verdict::error));
  for (CaseRecord& record : cases) record.reason = "reason of " + std::string(1 + (record.name.size() % 7), 'x');
  const PlainReport one = report_of(cases);
  REQUIRE(one.causes.size() == 1);
  CHECK((one.causes[0].count == 1010 && one.causes[0].filter.empty()));
  for (size_t i = 0; i < cases.size(); ++i) {
    cases[i].reason.clear();
    for (size_t bits = i; bits > 0; bits /= 2) cases[i].reason += bits % 2 == 1 ? 'a' : 'b';
    cases[i].reason += '.';
  }
  const PlainReport many = report_of(cases);
  REQUIRE(many.causes.size() == 1001);
  CHECK((many.causes[0].cause == "other reasons" && many.causes[0].count == 10));
  CHECK(many.causes[0].example == "c11000");
}

}  // namespace causes_test
