// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <map>
#include <pugixml.hpp>
#include <unordered_set>
#include <vector>

#include "core/text.h"
#include "core/utf8.h"
#include "report/causes.h"
#include "report/document.h"

namespace opref::report {
namespace {

/// How many bytes the UTF-8 character at the begin of `text` has; 0 where there is none that XML 1.0 allows.
std::size_t allowed_character(std::string_view text) {
  const auto point = first_code_point(text);
  if (!point || point->code == 0xfffe || point->code == 0xffff) return 0;
  const bool is_control = point->code < 0x20 && std::string_view("\t\n\r").find(text[0]) == std::string_view::npos;
  return is_control ? 0 : point->size;
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

std::string details(const CaseRecord& record) {
  std::string text = record.reason + "\n";
  if (!record.advice.empty()) text += record.advice + "\n";
  for (const OutputRecord& output : record.outputs)
    if (!output.comparison.equal())
      text += format("output {} {}, rule {}\n{}\n", output.name, output.type, output.rule, output.description);
  for (const std::string& line : explanation_lines(record)) text += line + "\n";
  if (!record.repeat.empty()) text += format("repeat: {}\n", record.repeat);
  return text;
}

/// The reason, and what was found of it.
std::string message_of(const CaseRecord& record) {
  if (!record.explained_by.empty())
    return format("{}; {}{}", record.reason, explained_how(record), record.explained_by);
  return record.unexplained ? format("{}; {}", record.reason, kNothingKnown) : record.reason;
}

bool is_bad(Verdict verdict) { return verdict == Verdict::fail || verdict == Verdict::error; }

/// Failures and errors that an earlier run had already do not fail a run that was compared with it.
class KnownFailures {
 public:
  explicit KnownFailures(const CheckReport& report) : baseline_(report.baseline ? &*report.baseline : nullptr) {
    if (baseline_ == nullptr) return;
    for (const CaseChange& change : baseline_->changes)
      if (change.change == Change::new_failure) new_ones_.insert(change.name);
    for (std::size_t i = 0; i < report.cases.size(); ++i)
      if (has(report.cases.verdict(i), report.cases.name(i))) ++counts_[report.cases.suite(i)][report.cases.verdict(i)];
  }

  bool has(Verdict verdict, const std::string& name) const {
    return baseline_ != nullptr && is_bad(verdict) && !new_ones_.contains(name);
  }
  /// Counts of a suite in which they are skipped.
  VerdictCounts without(VerdictCounts counts, std::size_t suite) const {
    const auto found = counts_.find(suite);
    for (const Verdict verdict : {Verdict::fail, Verdict::error}) {
      const std::int64_t known = found == counts_.end() ? 0 : found->second[verdict];
      counts[verdict] -= known;
      counts[Verdict::skip] += known;
    }
    return counts;
  }
  const std::string& file() const { return baseline_->file; }

 private:
  const Baseline* baseline_;
  std::unordered_set<std::string> new_ones_;
  std::map<std::size_t, VerdictCounts> counts_;
};

void add_verdict(pugi::xml_node testcase, const CaseRecord& record, const KnownFailures& known) {
  if (record.verdict == Verdict::pass) return;
  const bool bad = is_bad(record.verdict), is_known = known.has(record.verdict, record.name);
  const char* const element = !bad || is_known ? "skipped" : record.verdict == Verdict::fail ? "failure" : "error";
  pugi::xml_node node = testcase.append_child(element);
  set(node, "type", name(record.verdict));
  const std::string message = bad ? message_of(record) : format("{}: {}", name(record.verdict), record.reason);
  set(node, "message", is_known ? format("{}, as in {}: {}", name(record.verdict), known.file(), message) : message);
  if (bad) node.text() = xml_text(details(record)).c_str();
}

/// "output Y (bound of float32): within the bound of float32 (share 0.003, accurate), median share 0.0001".
std::string passing_text(const OutputRecord& output) {
  const Comparison& comparison = output.comparison;
  std::string text;
  const std::string verdict = bound_verdict(comparison);
  if (!verdict.empty())
    text = format("output {} ({}): {}, median share {}\n", output.name, output.rule, verdict,
                  compare::short_number(comparison.bound_median));
  if (comparison.without_bound > 0) text += format("output {}: {}\n", output.name, without_bound_text(comparison));
  return text;
}

void add_case(pugi::xml_node testcase, const CaseRecord& record, const std::string& suite, const KnownFailures& known) {
  set(testcase, "name", record.name);
  set(testcase, "classname", suite);
  set(testcase, "time", seconds_text(record.seconds));
  add_verdict(testcase, record, known);
  std::string said;
  for (const std::string& warning : record.warnings) said += format("warning: {}\n", warning);
  for (const OutputRecord& output : record.outputs)
    if (output.comparison.equal()) said += passing_text(output);  // else the description says it
  if (!said.empty()) add_text(testcase, "system-out", said);
  if (!record.stderr_tail.empty()) add_text(testcase, "system-err", record.stderr_tail);
}

void set_totals(pugi::xml_node node, const VerdictCounts& verdicts, double seconds) {
  set(node, "tests", std::to_string(verdicts.all()));
  set(node, "failures", std::to_string(verdicts[Verdict::fail]));
  set(node, "errors", std::to_string(verdicts[Verdict::error]));
  set(node, "time", seconds_text(seconds));
}

void set_suite(pugi::xml_node node, const CheckReport& report, const Suite& suite, const VerdictCounts& verdicts) {
  set(node, "name", suite.name);
  set_totals(node, verdicts, suite.seconds);
  set(node, "skipped", std::to_string(verdicts[Verdict::unsupported] + verdicts[Verdict::skip]));
  std::string_view started = report.started;  // as Ant writes it: without a time zone
  if (started.ends_with('Z')) started.remove_suffix(1);
  if (!started.empty()) set(node, "timestamp", started);
}

void add_properties(pugi::xml_node properties, const CheckReport& report) {
  for (const auto& [key, value] :
       {std::pair("opref", report.opref), std::pair("backend", report.backend), std::pair("rule", report.rule),
        std::pair("complete", std::string(report.complete ? "" : "false")),
        std::pair("baseline", report.baseline ? report.baseline->file : ""),
        std::pair("changes", report.baseline ? changes_text(*report.baseline) : "")}) {
    if (value.empty()) continue;
    pugi::xml_node property = properties.append_child("property");
    set(property, "name", key);
    set(property, "value", value);
  }
}

/// Writes a document's elements one after the other.
class Elements {
 public:
  explicit Elements(const Sink& sink) : sink_(sink) {}

  /// The element that `fill` fills, in full, inside of `depth` others.
  template <class Fill>
  void whole(const char* name, unsigned depth, const Fill& fill) {
    sink_(text_of(name, depth, fill));
  }
  /// Its tag alone; `fill` adds attributes.
  template <class Fill>
  void open(const char* name, unsigned depth, const Fill& fill) {
    const std::string text = text_of(name, depth, fill);
    sink_(text.substr(0, text.rfind(" />")) + ">\n");
  }
  void close(const char* name, unsigned depth) {
    sink_(format("{}</{}>\n", std::string(2 * std::size_t{depth}, ' '), name));
  }

 private:
  template <class Fill>
  static std::string text_of(const char* name, unsigned depth, const Fill& fill) {
    struct StringWriter : pugi::xml_writer {
      void write(const void* data, std::size_t size) override { text.append(static_cast<const char*>(data), size); }
      std::string text;
    } writer;
    pugi::xml_document document;
    const pugi::xml_node node = document.append_child(name);
    fill(node);
    node.print(writer, "  ", pugi::format_default, pugi::encoding_utf8, depth);
    return writer.text;
  }

  const Sink& sink_;
};

}  // namespace

void junit_document(const CheckReport& report, const Sink& sink) {
  const RecordStore& cases = report.cases;
  const Tally& tally = cases.tally();
  const KnownFailures known(report);
  Elements elements(sink);
  sink("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
  elements.open("testsuites", 0, [&](pugi::xml_node root) {
    double seconds = 0;
    VerdictCounts verdicts;
    for (const auto& [key, suite] : tally.suites) {
      seconds += suite.seconds;
      const VerdictCounts own = known.without(suite.verdicts, suite.number);
      for (const Verdict verdict : kVerdicts) verdicts[verdict] += own[verdict];
    }
    set(root, "name", "opref check");
    set_totals(root, verdicts, seconds);
  });
  std::vector<std::vector<std::uint32_t>> places(tally.suites.size());  // of the cases of each
  for (std::size_t i = 0; i < cases.size(); ++i) places[cases.suite(i)].push_back(static_cast<std::uint32_t>(i));
  for (const auto& entry : tally.suites) {
    const Suite& suite = entry.second;
    elements.open("testsuite", 1, [&](pugi::xml_node node) {
      set_suite(node, report, suite, known.without(suite.verdicts, suite.number));
    });
    elements.whole("properties", 2, [&](pugi::xml_node node) { add_properties(node, report); });
    for (const std::uint32_t i : places[suite.number])
      elements.whole("testcase", 2, [&](pugi::xml_node node) { add_case(node, cases.at(i), suite.name, known); });
    elements.close("testsuite", 1);
  }
  elements.close("testsuites", 0);
}

}  // namespace opref::report
