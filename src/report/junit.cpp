// SPDX-License-Identifier: Apache-2.0
#include "report/junit.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <pugixml.hpp>
#include <tuple>
#include <vector>

#include "core/text.h"
#include "report/causes.h"
#include "system/file.h"

namespace opref::report {
namespace {

constexpr std::string_view kReplacement = "\xef\xbf\xbd";  // U+FFFD

/// How many bytes the UTF-8 character at the begin of `text` has; 0 where there is none that XML 1.0 allows.
std::size_t allowed_character(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(0);
  if (first < 0x80) return first >= 0x20 || first == '\t' || first == '\n' || first == '\r' ? 1 : 0;
  const std::size_t length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first < 0xc2 || first > 0xf4 || text.size() < length) return 0;
  std::uint32_t code = first & (0x7f >> length);
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return 0;
    code = code << 6 | (byte(i) & 0x3f);
  }
  const bool overlong = (length == 3 && code < 0x800) || (length == 4 && code < 0x10000);
  const bool surrogate = code >= 0xd800 && code < 0xe000;
  return overlong || surrogate || code == 0xfffe || code == 0xffff || code > 0x10ffff ? 0 : length;
}

std::string xml_text(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const std::size_t length = allowed_character(text);
    out += length == 0 ? kReplacement : text.substr(0, length);
    text.remove_prefix(std::max<std::size_t>(length, 1));
  }
  return out;
}

void set(pugi::xml_node node, const char* attribute, std::string_view value) {
  node.append_attribute(attribute) = xml_text(value).c_str();
}

void add_text(pugi::xml_node node, const char* element, std::string_view text) {
  node.append_child(element).text() = xml_text(text).c_str();
}

/// "12.345": the schema takes no exponent and at most three digits.
std::string seconds_text(double seconds) {
  const bool known = seconds >= 0 && seconds < 1e15;
  const auto milliseconds = static_cast<std::int64_t>(known ? std::llround(seconds * 1000) : 0);
  return format("{}.{:0>3}", milliseconds / 1000, milliseconds % 1000);
}

std::string suite_name(const CaseRecord& record) {
  if (record.op_type.empty()) return "unknown";
  std::string name = record.domain.empty() ? record.op_type : record.domain + "." + record.op_type;
  if (record.since_version > 0) name += format("-{}", record.since_version);
  return name;
}

std::string details(const CaseRecord& record) {
  std::string text = record.reason + "\n";
  for (const OutputRecord& output : record.outputs)
    if (!output.comparison.equal()) text += format("output {} {}\n{}\n", output.name, output.type, output.description);
  for (const std::string& line : explanation_lines(record)) text += line + "\n";
  if (!record.repeat.empty()) text += format("repeat: {}\n", record.repeat);
  return text;
}

/// The reason, and what was found of it.
std::string message_of(const CaseRecord& record) {
  if (!record.explained_by.empty()) return format("{}; reproduced by: {}", record.reason, record.explained_by);
  return record.unexplained ? format("{}; {}", record.reason, kNothingKnown) : record.reason;
}

void add_verdict(pugi::xml_node testcase, const CaseRecord& record) {
  if (record.verdict == Verdict::pass) return;
  const bool bad = record.verdict == Verdict::fail || record.verdict == Verdict::error;
  const char* const element = !bad ? "skipped" : record.verdict == Verdict::fail ? "failure" : "error";
  pugi::xml_node node = testcase.append_child(element);
  set(node, "type", name(record.verdict));
  set(node, "message", bad ? message_of(record) : format("{}: {}", name(record.verdict), record.reason));
  if (bad) node.text() = xml_text(details(record)).c_str();
}

void add_case(pugi::xml_node suite, const CaseRecord& record) {
  pugi::xml_node testcase = suite.append_child("testcase");
  set(testcase, "name", record.name);
  set(testcase, "classname", suite_name(record));
  set(testcase, "time", seconds_text(record.seconds));
  add_verdict(testcase, record);
  std::string said;
  for (const std::string& warning : record.warnings) said += format("warning: {}\n", warning);
  for (const OutputRecord& output : record.outputs)
    if (output.comparison.equal() && output.comparison.without_bound > 0)  // else the description says it
      said += format("output {}: {}\n", output.name, without_bound_text(output.comparison));
  if (!said.empty()) add_text(testcase, "system-out", said);
  if (!record.stderr_tail.empty()) add_text(testcase, "system-err", record.stderr_tail);
}

using Cases = std::vector<const CaseRecord*>;

void set_totals(pugi::xml_node node, const Cases& cases) {
  double seconds = 0;
  for (const CaseRecord* record : cases) seconds += std::isfinite(record->seconds) ? record->seconds : 0;
  const auto number = [&](Verdict verdict) {
    return std::to_string(std::ranges::count(cases, verdict, [](const CaseRecord* record) { return record->verdict; }));
  };
  set(node, "tests", std::to_string(cases.size()));
  set(node, "failures", number(Verdict::fail));
  set(node, "errors", number(Verdict::error));
  set(node, "time", seconds_text(seconds));
}

void add_suite(pugi::xml_node root, const CheckReport& report, const Cases& cases) {
  pugi::xml_node suite = root.append_child("testsuite");
  set(suite, "name", suite_name(*cases.front()));
  set_totals(suite, cases);
  set(suite, "skipped", std::to_string(std::ranges::count_if(cases, [](const CaseRecord* record) {
        return record->verdict == Verdict::unsupported || record->verdict == Verdict::skip;
      })));
  std::string_view started = report.started;  // as Ant writes it: without a time zone
  if (started.ends_with('Z')) started.remove_suffix(1);
  if (!started.empty()) set(suite, "timestamp", started);
  pugi::xml_node properties = suite.append_child("properties");
  for (const auto& [key, value] :
       {std::pair("opref", report.opref), std::pair("backend", report.backend), std::pair("rule", report.rule),
        std::pair("complete", std::string(report.complete ? "" : "false"))}) {
    if (value.empty()) continue;
    pugi::xml_node property = properties.append_child("property");
    set(property, "name", key);
    set(property, "value", value);
  }
  for (const CaseRecord* record : cases) add_case(suite, *record);
}

}  // namespace

std::string junit_xml(const CheckReport& report) {
  std::map<std::tuple<std::string, std::string, std::int64_t>, Cases> suites;
  Cases all;
  for (const CaseRecord& record : report.cases) {
    suites[{record.domain, record.op_type, record.since_version}].push_back(&record);
    all.push_back(&record);
  }
  pugi::xml_document document;
  pugi::xml_node declaration = document.append_child(pugi::node_declaration);
  declaration.append_attribute("version") = "1.0";
  declaration.append_attribute("encoding") = "UTF-8";
  pugi::xml_node root = document.append_child("testsuites");
  set(root, "name", "opref check");
  set_totals(root, all);
  for (const auto& [key, cases] : suites) add_suite(root, report, cases);
  struct StringWriter : pugi::xml_writer {
    void write(const void* data, std::size_t size) override { text.append(static_cast<const char*>(data), size); }
    std::string text;
  } writer;
  document.save(writer, "  ", pugi::format_default, pugi::encoding_utf8);
  return writer.text;
}

void write_junit(const CheckReport& report, const std::filesystem::path& path) {
  FileWriter file(path);
  file.write(junit_xml(report));
  file.commit(Sync::yes);
}

}  // namespace opref::report
