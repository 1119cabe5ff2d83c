// SPDX-License-Identifier: Apache-2.0
#include "report/document.h"

#include <catch2/catch.hpp>
#include <map>
#include <pugixml.hpp>
#include <regex>
#include <set>

#include "report/report_testing.h"

namespace junit_test {

using namespace opref::report;
using Catch::Contains;

namespace {

struct ElementRule {
  std::set<std::string> required, optional, children;
};

/// The rules of the schema junit-10.xsd of Jenkins' xunit plugin for the elements that we write.
const std::map<std::string, ElementRule> kRules = {
    {"testsuites", {{}, {"name", "time", "tests", "failures", "errors"}, {"testsuite"}}},
    {"testsuite",
     {{"name", "tests", "failures", "errors"},
      {"group", "time", "skipped", "timestamp", "hostname", "id", "package", "file", "log", "url"},
      {"testsuite", "properties", "testcase", "system-out", "system-err"}}},
    {"properties", {{}, {}, {"property"}}},
    {"property", {{"name", "value"}, {}, {}}},
    {"testcase",
     {{"name"}, {"time", "classname", "group"}, {"skipped", "error", "failure", "system-out", "system-err"}}},
    {"failure", {{}, {"type", "message"}, {}}},
    {"error", {{}, {"type", "message"}, {}}},
    {"skipped", {{}, {"type", "message"}, {}}},
    {"system-out", {}},
    {"system-err", {}},
};

void check_element(const pugi::xml_node& node) {
  const std::string name = node.name();
  INFO("<" << name << ">");
  REQUIRE(kRules.contains(name));
  const ElementRule& rule = kRules.at(name);
  std::set<std::string> attributes;
  for (const pugi::xml_attribute& attribute : node.attributes()) {
    INFO(attribute.name());
    CHECK(attributes.insert(attribute.name()).second);
    CHECK((rule.required.contains(attribute.name()) || rule.optional.contains(attribute.name())));
  }
  for (const std::string& attribute : rule.required) CHECK(attributes.contains(attribute));
  // Stricter than the newest version, as its older ones were.
  if (const pugi::xml_attribute time = node.attribute("time"))
    CHECK(std::regex_match(time.value(), std::regex("[0-9]+\\.[0-9]{3}")));
  for (const pugi::xml_node child : node) {
    if (child.type() != pugi::node_element) continue;
    INFO("<" << child.name() << ">");
    CHECK(rule.children.contains(child.name()));
    check_element(child);
  }
}

/// Parsed, after every rule of the schema held.
pugi::xml_document checked(const PlainReport& report) {
  const std::string text = text_of(junit_document, report);
  pugi::xml_document document;
  REQUIRE(document.load_buffer(text.data(), text.size(), pugi::parse_default, pugi::encoding_utf8));
  CHECK(std::string_view(document.document_element().name()) == "testsuites");
  check_element(document.document_element());
  return document;
}

PlainReport compared_with_none() {
  PlainReport report = full_report();
  report.baseline.reset();
  return report;
}

PlainReport all_verdicts() {
  PlainReport report = compared_with_none();
  report.cases.push_back(named_case("p", Verdict::pass));
  report.cases.push_back(named_case("s", Verdict::skip));
  CaseRecord unknown = named_case("u", Verdict::unsupported);
  unknown.op_type = "Foo";
  unknown.domain = "com.bar";
  unknown.since_version = 0;
  report.cases.push_back(unknown);
  CaseRecord unread = named_case("x", Verdict::error);
  unread.op_type = unread.domain = "";
  unread.since_version = 0;
  report.cases.push_back(unread);
  return report;
}

std::string attribute(const pugi::xml_document& document, const char* path, const char* name) {
  const pugi::xml_node node = document.select_node(path).node();
  INFO(path);
  REQUIRE(node);
  return node.attribute(name).value();
}

}  // namespace

TEST_CASE("junit: totals, suites by operator and version, a verdict per case", "[report][junit]") {
  const pugi::xml_document document = checked(all_verdicts());
  CHECK(attribute(document, "/testsuites", "tests") == "6");
  CHECK(attribute(document, "/testsuites", "failures") == "1");
  CHECK(attribute(document, "/testsuites", "errors") == "2");
  CHECK(attribute(document, "/testsuites", "time") == "1.500");
  CHECK(document.select_nodes("/testsuites/testsuite").size() == 3);
  const char* const pool = "//testsuite[@name='ai.onnx.LpPool-18']";
  CHECK(attribute(document, pool, "tests") == "4");
  CHECK(attribute(document, pool, "failures") == "1");
  CHECK(attribute(document, pool, "errors") == "1");
  CHECK(attribute(document, pool, "skipped") == "1");
  CHECK(attribute(document, pool, "timestamp") == "2026-11-21T10:00:00");
  CHECK(attribute(document, "//testsuite[@name='com.bar.Foo']", "skipped") == "1");
  CHECK(attribute(document, "//testsuite[@name='unknown']", "errors") == "1");
  CHECK(attribute(document, "//property[@name='rule']", "value") == "4 ULP");
  PlainReport report = all_verdicts();
  report.complete = false;
  CHECK(attribute(checked(report), "//property[@name='complete']", "value") == "false");
  report.complete = true;
  CHECK(checked(report).select_nodes("//property[@name='complete']").empty());
  CHECK(attribute(document, "//testcase[@name='b']", "classname") == "ai.onnx.LpPool-18");
  CHECK(attribute(document, "//testcase[@name='b']/failure", "message") ==
        "it is b; not reproduced to the bit; closest: mistake float32 accumulation in order (rtol 0.001, atol 0)");
  CHECK(attribute(document, "//testcase[@name='d']/error", "message") == "it is d");
  CHECK(attribute(document, "//testcase[@name='s']/skipped", "message") == "skip: it is s");
  CHECK(attribute(document, "//testcase[@name='u']/skipped", "message") == "unsupported: it is u");
  CHECK_FALSE(document.select_node("//testcase[@name='p']").node().first_child());
}

TEST_CASE("junit: a failure says what differs, where, and how to repeat it", "[report][junit]") {
  const pugi::xml_document document = checked(all_verdicts());
  CHECK(std::string(document.select_node("//testcase[@name='b']/failure").node().text().get()) ==
        "it is b\n"
        "What to do.\n"
        "output Y float32[2,2,3], rule exact\n"
        "  2 of 12 elements differ (exact)\n"
        "  both mismatches have n == 1\n"
        "not reproduced to the bit; closest: mistake float32 accumulation in order (rtol 0.001, atol 0)\n"
        "repeat: opref run cases/b.json --expect-case\n");
  CHECK_THAT(document.select_node("//testcase[@name='d']/error").node().text().get(),
             Contains("the shape is [2], but [1] is expected"));
  const pugi::xml_node failing = document.select_node("//testcase[@name='b']").node();
  CHECK(std::string_view(failing.child("system-err").text().get()) == "line 1\nline 2\n");
  CHECK(std::string_view(failing.child("system-out").text().get()) == "warning: one\nwarning: two\n");

  CaseRecord passing = named_case("a", Verdict::pass);
  passing.outputs = {failing_output()};
  passing.outputs[0].rule = "bound of float32";
  passing.outputs[0].comparison.mismatches = 0;
  passing.outputs[0].comparison.bound_ratio = 0.25;
  passing.outputs[0].comparison.bound_class = BoundClass::page;
  PlainReport report;
  report.cases = {passing};
  CHECK(std::string_view(checked(report).select_node("//testcase[@name='a']/system-out").node().text().get()) ==
        "output Y (bound of float32): within the bound of the page's formula in float32 (share 0.25; accurate 700), "
        "median share 0.125\n"
        "output Y: 3 elements have no bound of their own, because such a kernel may meet Inf or NaN there: [0,0,1], "
        "[1,1,2] and 1 "
        "more\n");
}

TEST_CASE("junit: what XML 1.0 forbids is replaced, what it reserves is escaped", "[report][junit]") {
  const std::pair<std::string, std::string> texts[] = {
      {"tab\tand\nline", "tab\tand\nline"},
      {"a\x1b[31mb\x01", "a\xef\xbf\xbd[31mb\xef\xbf\xbd"},
      {std::string("null\0!", 6), "null\xef\xbf\xbd!"},
      {"\xff\xc3", "\xef\xbf\xbd\xef\xbf\xbd"},                                                  // no UTF-8
      {"\xed\xa0\x80", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd"},                                  // a surrogate
      {"\xc0\xaf\xe0\x80\xaf", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd"},  // overlong
      {"\xef\xbf\xbf", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd"},                                  // U+FFFF
      {"\xf4\x90\x80\x80", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd"},                  // above U+10FFFF
      {"\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80", "\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80"},          // é € and an emoji
      {"]]> <b> & \"quoted\" 'too'", "]]> <b> & \"quoted\" 'too'"},
  };
  for (const auto& [text, expected] : texts) {
    INFO(expected);
    PlainReport report = compared_with_none();
    report.cases[0].explained_by.clear();
    report.cases[0].unexplained = false;
    report.cases[0].name = report.cases[0].reason = report.cases[0].stderr_tail = text;
    const std::string xml = text_of(junit_document, report);
    for (const char c : xml) CHECK((static_cast<unsigned char>(c) >= 0x20 || c == '\n' || c == '\t'));
    CHECK_THAT(xml, !Contains("&#27;") && !Contains("&#0;") && !Contains("&#01;") && !Contains("&#1;"));
    const pugi::xml_document document = checked(report);
    const pugi::xml_node testcase = document.select_node("//testcase").node();
    CHECK(testcase.attribute("name").value() == expected);
    CHECK(testcase.child("failure").attribute("message").value() == expected);
    CHECK(testcase.child("system-err").text().get() == expected);
  }
}

TEST_CASE("junit: no case at all, and times of every size", "[report][junit]") {
  CHECK(attribute(checked({}), "/testsuites", "tests") == "0");
  const std::pair<double, std::string> times[] = {{0, "0.000"},        {0.0004, "0.000"},        {0.0005, "0.001"},
                                                  {12.3456, "12.346"}, {123456.7, "123456.700"}, {1e300, "0.000"}};
  for (const auto& [seconds, expected] : times) {
    PlainReport report;
    report.cases = {named_case("a", Verdict::pass)};
    report.cases[0].seconds = seconds;
    CHECK(attribute(checked(report), "//testcase", "time") == expected);
  }
}

}  // namespace junit_test
