// SPDX-License-Identifier: Apache-2.0
#include "report/causes.h"

#include <algorithm>
#include <cctype>
#include <map>

#include "core/error.h"
#include "core/name_filter.h"

namespace opref::report {
namespace {

/// For a POSIX shell.
std::string in_quotes(std::string_view text) {
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

/// "; --filter '…'"; nothing where there is no filter.
std::string filter_text(const CauseGroup& group, std::string_view option) {
  constexpr std::size_t kLongest = 200;
  if (group.filter.empty()) return "";
  const bool fits = group.filter.size() <= kLongest;
  return format("; {} {}", option, fits ? in_quotes(group.filter) : "in the reports: it names each case");
}

/// Errors that differ in numbers and in quoted names only are the same; of one that was cut off the start counts.
std::string without_names(std::string_view text) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    const bool digit = text[i] >= '0' && text[i] <= '9';
    const bool opens =
        (text[i] == '"' || text[i] == '\'') && (i == 0 || std::isalnum(static_cast<unsigned char>(text[i - 1])) == 0);
    const size_t end = opens ? text.find(text[i], i + 1) : std::string_view::npos;
    if (end != std::string_view::npos) i = end;
    const char c = end != std::string_view::npos ? '"' : digit ? '0' : text[i];
    if (!digit || !out.ends_with('0')) out += c;
  }
  constexpr std::size_t kStart = 100;
  if (text.ends_with("…")) out.resize(std::min(out.size(), kStart));
  return out;
}

void choose(CaseRecord& record, const std::map<std::string, std::int64_t>& fits) {
  if (record.causes.empty()) return;
  const auto best = std::ranges::max_element(  // the first one of several
      record.causes, {}, [&](const CauseRecord& cause) { return fits.find(cause.name)->second; });
  record.explained_by = explained_text(best->name, record);
}

const CauseRecord* chosen_cause(const CaseRecord& record) {
  const auto chosen = std::ranges::find(record.causes, record.explained_by,
                                        [&](const CauseRecord& cause) { return explained_text(cause.name, record); });
  return chosen == record.causes.end() ? nullptr : &*chosen;
}

struct Group {
  CauseGroup shown = {};
  NameFilter::Search names = {};
};
using Groups = std::map<std::pair<Verdict, std::string>, Group>;

CauseGroup start_of(const CaseRecord& record) {
  CauseGroup group{.verdict = record.verdict, .cause = record.reason};
  if (const CauseRecord* cause = chosen_cause(record)) {
    group.cause = cause->name;
    group.meaning = cause->meaning;
    group.link = cause->link;
  } else if (!record.explained_by.empty()) {
    group.cause = record.explained_by;
  } else if (record.unexplained) {
    group.cause = kNothingKnown;
    group.meaning = "no reading, no other arithmetic and no known mistake gives these values";
  }
  if (group.cause.empty()) group.cause = "no reason is known";
  return group;
}

/// Where the case is counted.
Group& group_of(Groups& groups, const CaseRecord& record) {
  constexpr std::size_t kMostGroups = 1000;
  CauseGroup start = start_of(record);
  const bool is_known = start.cause != record.reason;
  std::pair key(record.verdict, is_known ? start.cause : without_names(start.cause));
  if (groups.size() >= kMostGroups && !groups.contains(key)) {
    start = {.verdict = record.verdict, .cause = "other reasons"};
    key.second.clear();
  }
  Group& group = groups[key];
  if (group.shown.count == 0) {
    group.shown = std::move(start);
    group.shown.example = record.name;
  }
  return group;
}

/// A case that does not pass, and what counts it.
struct Counted {
  std::size_t place;
  Group* group;
};

/// All other names are avoided by each cause's filter.
void avoid_others(const RecordStore& cases, const std::vector<Counted>& bad, const NameWalk& all, Groups& groups) {
  auto next = bad.begin();
  std::string next_name;
  const auto name_next = [&] { next_name = next == bad.end() ? "" : cases.name(next->place); };
  name_next();
  all([&](const std::string& name) {
    const Group* own = nullptr;
    if (next != bad.end() && name == next_name) {
      own = next++->group;
      name_next();
    }
    for (auto& [key, group] : groups)
      if (&group != own) group.names.avoid(name);
  });
}

}  // namespace

std::string explained_text(std::string_view cause, const CaseRecord& record) {
  std::string text(cause);
  for (const std::string& part : {record.within, record.doubt})
    if (!part.empty()) text += format(" ({})", part);
  return text;
}

std::string_view explained_how(const CaseRecord& record) {
  return record.within.empty() ? "reproduced by: " : "not reproduced to the bit; closest: ";
}

void settle_causes(CheckReport& report, const NameWalk& all) {
  Groups groups;
  std::vector<Counted> bad;
  RecordStore& cases = report.cases;
  for (std::size_t i = 0; i < cases.size(); ++i) {
    if (cases.verdict(i) != Verdict::fail && cases.verdict(i) != Verdict::error) continue;
    CaseRecord record = cases.at(i);
    choose(record, cases.tally().fits);
    Group& group = group_of(groups, record);
    ++group.shown.count;
    group.names.add(record.name);
    record.cause = group.shown.cause;
    cases.replace(i, record);
    bad.push_back({i, &group});
  }
  if (!report.filtered && !bad.empty()) avoid_others(cases, bad, all, groups);
  report.causes.clear();
  for (auto& [key, group] : groups) {
    group.shown.filter = report.filtered ? group.names.exact_expression() : group.names.expression();
    report.causes.push_back(std::move(group.shown));
  }
  std::ranges::stable_sort(report.causes, std::ranges::greater(), &CauseGroup::count);
}

std::vector<std::string> explanation_lines(const CaseRecord& record) {
  if (record.causes.size() > 1 && !record.doubt.empty()) {  // said once
    CaseRecord bare = record;
    bare.doubt.clear();
    const std::string doubt = format(" ({})", record.doubt);
    if (bare.explained_by.ends_with(doubt)) bare.explained_by.resize(bare.explained_by.size() - doubt.size());
    std::vector<std::string> lines = explanation_lines(bare);
    lines.push_back("each of these: " + record.doubt);
    return lines;
  }
  std::vector<std::string> lines;
  const std::string how(explained_how(record));
  if (!record.explained_by.empty()) lines.push_back(how + record.explained_by);
  for (const CauseRecord& cause : record.causes) {
    const std::string text = explained_text(cause.name, record);
    if (text != record.explained_by)
      lines.push_back((lines.empty() ? how : record.within.empty() ? "or by: " : "or: ") + text);
  }
  if (lines.empty() && record.unexplained) lines.emplace_back(kNothingKnown);
  return lines;
}

std::vector<std::string> cause_lines(const CheckReport& report, std::size_t most, std::string_view filter_option) {
  constexpr std::size_t kLongest = 1000;
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
    lines.push_back(format("      {}{}", printable(group.example, kLongest), filter_text(group, filter_option)));
  }
  if (left > 0) lines.push_back(format("  {} with {} more causes", counted(left, "case"), report.causes.size() - most));
  return lines;
}

}  // namespace opref::report
