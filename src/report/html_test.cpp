// SPDX-License-Identifier: Apache-2.0
#include "report/document.h"

#include <catch2/catch.hpp>
#include <regex>

#include "report/report_json.h"
#include "report/report_testing.h"

namespace html_test {

using namespace opref::report;

namespace {

constexpr std::string_view kDataBegin = R"(<script type="application/json" id="report">)";

/// The text between the data's tags, as an HTML parser takes it: up to the first "</script".
std::string data_of(const std::string& page) {
  const size_t begin = page.find(kDataBegin) + kDataBegin.size();
  REQUIRE(page.find(kDataBegin) != std::string::npos);
  return page.substr(begin, page.find("</script", begin) - begin);
}

}  // namespace

TEST_CASE("html: the report in the page is the report, without the names of missing cases", "[report][html]") {
  PlainReport report = full_report();
  const std::string data = data_of(text_of(html_document, report));
  report.missing.clear();
  CHECK(text_of(json_document, read_plain(data, "page")) == text_of(json_document, report));
  CHECK(data.find('\n') == std::string::npos);
}

TEST_CASE("html: nothing of the report is markup", "[report][html]") {
  const std::string empty = text_of(html_document, PlainReport{});
  const std::string evil =
      "</script><script>alert(1)</script> <!-- <![CDATA[ &lt; &#60; ]]> --> @REPORT@ \xe2\x80\xa8\xe2\x80\xa9 \\u003c "
      "\n  x";
  PlainReport report = full_report();
  report.opref = report.backend = report.rule = evil;
  CaseRecord& record = report.cases[0];
  record.name = record.path = record.reason = record.op_type = record.repeat = record.stderr_tail = record.advice =
      evil;
  record.attributes = record.inputs = {{evil, evil}};
  record.outputs[0].name = record.outputs[0].comparison.where[0] = record.outputs[0].comparison.worst->actual = evil;
  const std::string page = text_of(html_document, report), data = data_of(page);
  // Around the data the page is the same whatever the report says.
  const auto around = [](const std::string& text) {
    const size_t begin = text.find(kDataBegin) + kDataBegin.size();
    return text.substr(0, begin) + text.substr(begin + data_of(text).size());
  };
  CHECK(around(page) == around(empty));
  CHECK(data.find_first_of("<>&") == std::string::npos);
  CHECK(data.find("\xe2\x80\xa8") == std::string::npos);
  CHECK(data.find("\xe2\x80\xa9") == std::string::npos);
  const PlainReport back = read_plain(data, "page");
  CHECK(back.backend == evil);
  CHECK(back.cases[0].name == evil);
  CHECK(back.cases[0].attributes == record.attributes);
}

TEST_CASE("html: the page loads nothing and makes no markup of texts", "[report][html]") {
  const std::string page(html_template());
  CHECK(page.find("@PAGE_") == std::string::npos);
  CHECK(page.find("default-src 'none'") != std::string::npos);
  for (const char* forbidden :
       {"http:", "https:", "//cdn", "@import", "url(", "src=", "fetch(", "XMLHttpRequest", "WebSocket", "innerHTML",
        "outerHTML", "insertAdjacentHTML", "document.write", "eval("}) {
    INFO(forbidden);
    CHECK(page.find(forbidden) == std::string::npos);
  }
  const std::regex link("href=\"([^\"]*)\"");
  for (std::sregex_iterator it(page.begin(), page.end(), link); it != std::sregex_iterator(); ++it) {
    const std::string target = (*it)[1];
    CHECK((target == "#" || target == "data:,"));
  }
}

TEST_CASE("html: error maps beyond what a browser takes are left out, the first ones stay", "[report][html]") {
  PlainReport report = full_report();
  ErrorMap& map = *report.cases[0].outputs[0].errors;
  map = {.outer = {32},
         .rows = 128,
         .columns = 128,
         .row_step = 1,
         .column_step = 1,
         .planes = 32,
         .plane_indices = {},
         .cells = std::vector<std::uint8_t>(32 * 128 * 128, 1)};
  for (std::int64_t plane = 0; plane < 32; ++plane) map.plane_indices.push_back(plane);
  constexpr size_t kFit = kMostMapCells / (32 * 128 * 128);
  report.cases[0].outputs.resize(1);
  while (report.cases[0].outputs.size() < kFit + 2) report.cases[0].outputs.push_back(report.cases[0].outputs[0]);
  const PlainReport shown = read_plain(data_of(text_of(html_document, report)), "page");
  CHECK(shown.cases[0].outputs[kFit - 1].errors);
  CHECK_FALSE(shown.cases[0].outputs[kFit].errors);
  CHECK_FALSE(shown.cases[0].outputs[kFit + 1].errors);
}

TEST_CASE("html: of more cases than a browser takes, those that do not pass are shown, in their order",
          "[report][html]") {
  PlainReport report;
  for (size_t i = 0; i < kMostShownCases + 2; ++i) {
    const std::string name = std::to_string(1000000 + i);
    report.cases.push_back(named_case(name, i == kMostShownCases + 1 ? Verdict::fail : Verdict::pass));
  }
  report.cases[7].verdict = Verdict::unsupported;
  const std::string data = data_of(text_of(html_document, report));
  CHECK(data.find(R"("pass": 20000,"fail": 1,"error": 0,"unsupported": 1,)") != std::string::npos);
  CHECK(data.find(R"("1000007")") < data.find(R"("1020001")"));
  CHECK(data.find(R"("1019998")") != std::string::npos);
  CHECK(data.find(R"("1019999")") == std::string::npos);
  CHECK(data.find(R"("1020001")") != std::string::npos);
}

}  // namespace html_test
