// SPDX-License-Identifier: Apache-2.0
#include "cli/report_files.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <optional>
#include <sstream>
#include <utility>

#include "cli/open_backend.h"
#include "cli/output.h"
#include "report/causes.h"
#include "report/document.h"
#include "report/report_json.h"
#include "system/file.h"

namespace opref::cli {
namespace {

namespace fs = std::filesystem;

std::array<const std::string*, 4> names_of(const ReportFiles& files) {
  return {&files.json, &files.junit, &files.html, &files.markdown};
}

/// The file that a name means; what is neither a file nor missing (/dev/null) takes any number of documents.
std::string meant(const std::string& name) {
  std::error_code ignored;
  if (name.empty() || name == "-" || (fs::exists(name, ignored) && !is_file(name))) return "";
  return canonical_name(name);
}

/// Texts of reports may come from anywhere.
void print_lines(const std::string& text, std::string_view before) {
  constexpr std::size_t kLongest = 10000;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) print(format("{}{}\n", before, printable(line, kLongest)));
}

/// The lines of a description, which are indented; those of a foreign report may not be, and would be commands to a CI
/// system that reads this output.
void print_description(const std::string& text) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) print_lines(line, line.starts_with("  ") ? "" : "  ");
}

constexpr std::size_t kMostRows = 12;  // of causes, and of each kind of change

/// A line of a summary; further ones of it are indented more.
void print_row(const std::string& line) {
  const size_t indent = line.find_first_not_of(' ');
  const bool is_option = line.find('-') == indent;  // to be copied
  print((is_option ? line : wrapped(line, indent + 2)) + "\n");
}

}  // namespace

void require_sound(const ReportFiles& files, bool json_printed) {
  const auto names = names_of(files);
  if (std::ranges::count(names, "-", [](const std::string* name) { return *name; }) + json_printed > 1)
    fail(Fault::usage, "two documents on standard output: one of '-' and --json can stand once");
  for (auto name = names.begin(); name != names.end(); ++name) {
    const std::string file = meant(**name);
    if (!file.empty() &&
        std::any_of(std::next(name), names.end(), [&](const auto* other) { return meant(*other) == file; }))
      fail(Fault::usage, "two reports in one file: {}", printable(**name, 1000));
    if ((*name)->empty() || **name == "-") continue;
    if (is_folder(**name)) fail(Fault::system, "cannot write {}: it is a folder", printable(**name, 1000));
    if (access(fs::absolute(**name).parent_path().c_str(), W_OK) != 0)
      fail(Fault::system, "cannot write {}: {}", printable(**name, 1000), std::strerror(errno));
  }
}

bool has_any(const ReportFiles& files) {
  return std::ranges::any_of(names_of(files), [](const std::string* name) { return !name->empty(); });
}

void require_others_than(const ReportFiles& files, const std::string& read) {
  constexpr std::array kRead = {".npy", ".npz", ".pb", ".onnx", ".onnxtxt", ".bin"};
  if (!has_any(files)) return;
  std::error_code ignored;
  const std::string folder = is_folder(read) ? fs::weakly_canonical(read, ignored).string() + "/" : "";
  for (const std::string* name : names_of(files)) {
    const std::string file = meant(*name);
    if (file.empty() || !is_file(file)) continue;
    if (file == meant(read) || (!folder.empty() && file.starts_with(folder)) ||
        std::ranges::count(kRead, fs::path(file).extension()) > 0)
      fail(Fault::usage, "a report in the place of a file that is read: {}", printable(*name, 1000));
  }
}

bool take_standard_output(const ReportFiles& files) {
  return std::ranges::any_of(names_of(files), [](const std::string* name) { return *name == "-"; });
}

void write_all(const CheckReport& report, const ReportFiles& files) {
  std::optional<Error> trouble;
  const auto write = [&](const std::string& name, Document document) {
    try {
      if (!name.empty()) write_document(document, report, name);
    } catch (const Error& error) {  // costs no other report
      if (!trouble) trouble = error;
    }
  };
  const std::array<std::pair<const std::string*, Document>, 4> documents = {{{&files.json, json_document},
                                                                             {&files.junit, junit_document},
                                                                             {&files.html, html_document},
                                                                             {&files.markdown, markdown_document}}};
  for (const bool printed : {false, true})  // standard output may be closed
    for (const auto& [name, document] : documents)
      if ((*name == "-") == printed) write(*name, document);
  if (trouble) throw *trouble;
}

void write_node_page(CheckReport report, const std::vector<std::string>& names, const std::string& html) {
  report.all_count = std::ssize(names);
  settle_causes(report, [&](const auto& visit) { std::ranges::for_each(names, visit); });
  for (CauseGroup& group : report.causes) group.filter.clear();
  write_all(report, {"", "", html, ""});
}

void print_case(const CaseRecord& record, const ExitRules& rules) {
  constexpr std::size_t kLongest = 10000;
  const bool bad = is_failure(record.verdict, rules);
  for (const std::string& warning : record.warnings) warn(printable(format("{}: {}", record.name, warning), kLongest));
  const std::string_view verdict = name(record.verdict);
  const std::string line = wrapped(format("{} {}{}", verdict, printable(record.name, kLongest),
                                          record.reason.empty() ? "" : ": " + printable(record.reason, kLongest)),
                                   4);
  print(format("{}{}\n", toned(bad ? Tone::bad : Tone::good, verdict), line.substr(verdict.size())));
  const bool several =
      std::ranges::count_if(record.outputs, [](const OutputRecord& output) { return !output.description.empty(); }) > 1;
  for (const OutputRecord& output : record.outputs)
    if (bad) {
      if (several && !output.description.empty()) print(format("  output '{}':\n", printable(output.name)));
      print_description(output.description);
    } else {
      if (const std::string figure = bound_verdict(output.comparison); !figure.empty())
        print(wrapped(format("  {} {}", printable(output.name), figure), 4) + "\n");
      print_lines(without_bound_text(output.comparison), "  ");
    }
  if (!bad) return;
  for (const std::string& cause : explanation_lines(record))
    print(wrapped(format("  {}", printable(cause, kLongest)), 4) + "\n");
  if (!record.stderr_tail.empty()) print(last_lines_text(record.stderr_tail) + "\n");
  if (!record.repeat.empty()) print_lines(record.repeat, "  repeat: ");
}

bool FailurePrinter::counts(const CaseRecord& record) const {
  return earlier_ != nullptr ? earlier_->is_new_failure(record.name, record.verdict, rules_)
                             : is_failure(record.verdict, rules_);
}

bool FailurePrinter::prints(const CaseRecord& record) const { return counts(record) && (all_ || count_ < kInFull); }

void FailurePrinter::add(const CaseRecord& record) {
  if (prints(record)) print_case(record, rules_);
  count_ += counts(record) ? 1 : 0;
}

void FailurePrinter::finish() const {
  if (all_ || count_ <= kInFull) return;
  const bool is_one = count_ == kInFull + 1;
  print(format("… {} more {}; --verbose prints {}\n", count_ - kInFull,
               earlier_ != nullptr ? is_one ? "fails anew" : "fail anew"
               : is_one            ? "does not pass"
                                   : "do not pass",
               is_one ? "it" : "them"));
}

void print_summary(const CheckReport& report, bool all_causes) {
  if (report.shards > 1)
    print(format("shard {} of {}: {} of {}{}\n", report.shard, report.shards, report.cases.size(),
                 counted(report.all_count, "case"), report.cases.empty() ? "; none falls into this shard" : ""));
  for (const std::string& line : summary_lines(report, all_causes ? SIZE_MAX : kMostRows, "--filter")) print_row(line);
}

void print_changes(const Baseline& baseline, bool all) {
  for (const std::string& line : change_lines(baseline, all ? SIZE_MAX : kMostRows)) print_row(line);
  print_row(changes_text(baseline));
}

}  // namespace opref::cli
