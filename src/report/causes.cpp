// SPDX-License-Identifier: Apache-2.0
#include "report/causes.h"

#include <algorithm>
#include <map>

#include "core/error.h"
#include "core/name_filter.h"

namespace opref::report {
namespace {

bool is_bad(const CaseRecord& record) { return record.verdict == Verdict::fail || record.verdict == Verdict::error; }

/// For a POSIX shell.
std::string in_quotes(std::string_view text) {
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

/// Errors that differ in numbers only are the same.
std::string without_numbers(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const bool digit = c >= '0' && c <= '9';
    if (!digit)
      out += c;
    else if (out.empty() || out.back() != '0')
      out += '0';
  }
  return out;
}

std::map<std::string, std::int64_t> fits_of(const CheckReport& report) {
  std::map<std::string, std::int64_t> fits;
  for (const CaseRecord& record : report.cases)
    for (const CauseRecord& cause : record.causes) ++fits[cause.name];
  return fits;
}

void choose(CaseRecord& record, const std::map<std::string, std::int64_t>& fits) {
  if (record.causes.empty()) return;
  std::ranges::stable_sort(record.causes, std::ranges::greater(),
                           [&](const CauseRecord& cause) { return fits.find(cause.name)->second; });
  record.explained_by = explained_text(record.causes.front().name, record.within);
}

struct Group {
  CauseGroup shown;
  std::vector<std::string> names;
};

CauseGroup start_of(const CaseRecord& record) {
  CauseGroup group{.verdict = record.verdict, .cause = record.reason};
  if (!record.causes.empty()) {
    const CauseRecord& cause = record.causes.front();
    group.cause = cause.name;
    group.meaning = cause.meaning;
    group.link = cause.link;
  } else if (!record.explained_by.empty()) {
    group.cause = record.explained_by;
  } else if (record.unexplained) {
    group.cause = kNothingKnown;
    group.meaning = "no reading, no other arithmetic and no known mistake gives these values";
  }
  if (group.cause.empty()) group.cause = "no reason is known";
  return group;
}

}  // namespace

std::string explained_text(std::string_view cause, std::string_view within) {
  return within.empty() ? std::string(cause) : format("{} ({})", cause, within);
}

void settle_causes(CheckReport& report) {
  const auto fits = fits_of(report);
  std::map<std::pair<Verdict, std::string>, Group> groups;
  for (CaseRecord& record : report.cases) {
    choose(record, fits);
    record.cause.clear();
    if (!is_bad(record)) continue;
    CauseGroup start = start_of(record);
    const bool is_known = start.cause != record.reason;
    Group& group = groups[{record.verdict, is_known ? start.cause : without_numbers(start.cause)}];
    if (group.names.empty()) {
      group.shown = std::move(start);
      group.shown.example = record.name;
    }
    ++group.shown.count;
    record.cause = group.shown.cause;
    group.names.push_back(record.name);
  }
  std::vector<std::string> all = report.all_names;
  if (all.empty())
    for (const CaseRecord& record : report.cases) all.push_back(record.name);
  report.causes.clear();
  for (auto& [key, group] : groups) {
    group.shown.filter = report.filtered ? NameFilter::each_of(group.names) : NameFilter::only(group.names, all);
    report.causes.push_back(std::move(group.shown));
  }
  std::ranges::stable_sort(report.causes, std::ranges::greater(), &CauseGroup::count);
}

std::vector<std::string> explanation_lines(const CaseRecord& record) {
  std::vector<std::string> lines;
  for (const CauseRecord& cause : record.causes)
    lines.push_back(
        format("{}: {}", lines.empty() ? "reproduced by" : "or by", explained_text(cause.name, record.within)));
  if (lines.empty() && !record.explained_by.empty()) lines.push_back("reproduced by: " + record.explained_by);
  if (lines.empty() && record.unexplained) lines.emplace_back(kNothingKnown);
  return lines;
}

std::vector<std::string> cause_lines(const CheckReport& report, std::size_t most, std::string_view filter_option) {
  constexpr std::size_t kLongest = 1000, kLongestFilter = 200;
  std::vector<std::string> lines;
  std::int64_t bad = 0, left = 0;
  for (const CauseGroup& group : report.causes) bad += group.count;
  if (bad == 0) return lines;
  lines.push_back(format("causes of {} that {} not pass:", counted(bad, "case"), bad == 1 ? "does" : "do"));
  for (std::size_t i = 0; i < report.causes.size(); ++i) {
    const CauseGroup& group = report.causes[i];
    if (i >= most) {
      left += group.count;
      continue;
    }
    lines.push_back(format("  {} {}: {}", group.count, name(group.verdict), printable(group.cause, kLongest)));
    std::string meaning = printable(group.meaning, kLongest);
    if (!group.link.empty()) meaning += format("{}{}", meaning.empty() ? "" : "; ", printable(group.link, kLongest));
    if (!meaning.empty()) lines.push_back("      " + meaning);
    const bool short_enough = group.filter.size() <= kLongestFilter;
    lines.push_back(format("      {}; {} {}", printable(group.example, kLongest), filter_option,
                           short_enough ? in_quotes(group.filter) : std::string("in the reports: it names each case")));
  }
  if (left > 0) lines.push_back(format("  {} with {} more causes", counted(left, "case"), report.causes.size() - most));
  return lines;
}

}  // namespace opref::report
