// SPDX-License-Identifier: Apache-2.0
#include "report/causes.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <map>

#include "core/error.h"
#include "report/name_filter.h"

namespace opref::report {
namespace {

/// For a POSIX shell.
std::string in_quotes(std::string_view text) {
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

/// The first case and the option that chooses them all, in a line where they fit, else one each.
void add_cases(std::vector<std::string>& lines, const CauseGroup& group, std::string_view option) {
  constexpr std::size_t kLongest = 200, kColumns = 80;
  const std::string example = "      " + printable(group.example, 1000);
  const std::string filter = format("{} {}", option, in_quotes(group.filter));
  if (group.filter.empty()) {
    lines.push_back(example);
  } else if (group.filter.size() > kLongest) {
    lines.push_back(example + "; the reports have a filter for these cases");
  } else if (const std::string both = format("{}; {}", example, filter); both.size() <= kColumns) {
    lines.push_back(both);
  } else {
    lines.push_back(example);
    lines.push_back("      " + filter);
  }
}

/// Takes the last ones off that are among `characters`.
void strip_end(std::string& text, std::string_view characters) {
  const size_t last = text.find_last_not_of(characters);
  text.resize(last == std::string::npos ? 0 : last + 1);
}

/// Errors that differ in numbers, in lists of them and in quoted names only are the same; of one that was cut off the
/// start counts. "[np.int64(8), 3]" is a list of numbers too.
std::string without_names(std::string_view text) {
  constexpr std::string_view kDigits = "0123456789", kList = "0123456789 .,-+[]()";
  std::string out;
  for (size_t i = 0; i < text.size();) {
    const bool opens =
        (text[i] == '"' || text[i] == '\'') && (i == 0 || std::isalnum(static_cast<unsigned char>(text[i - 1])) == 0);
    const size_t close = opens ? text.find(text[i], i + 1) : std::string_view::npos;
    const std::string_view list = text.substr(i, std::min(text.find_first_not_of(kList, i), text.size()) - i);
    if (close != std::string_view::npos) {
      out += '"';
      i = close + 1;
    } else if (list.find_first_of(kDigits) != std::string_view::npos) {
      if (list[std::min(list.find_first_not_of(kDigits), list.size() - 1)] == '(') {  // of a type's name
        strip_end(out, "abcdefghijklmnopqrstuvwxyz_.");
        strip_end(out, kList);
      }
      if (!out.ends_with('0')) out += '0';
      i += list.size();
      if (i + 1 < text.size() && (text[i] == 'e' || text[i] == 'x') &&
          std::string_view("+-0123456789").find(text[i + 1]) != std::string_view::npos)
        ++i;  // 1e-5, 2x3
    } else {
      out += text[i++];
    }
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

/// "output 'Y' differs", "output 'Y' has another type or shape", where that is the reason: the numbers are each case's
/// own.
std::string reason_of(const CaseRecord& record) {
  const auto differs = [](const OutputRecord& output) { return !output.comparison.equal(); };
  const auto first = std::ranges::find_if(record.outputs, differs);
  if (record.verdict != Verdict::fail || !record.output_differs || first == record.outputs.end()) return record.reason;
  return format("output '{}' {}", printable(first->name),
                first->comparison.reason.empty() ? "differs" : "has another type or shape");
}

CauseGroup start_of(const CaseRecord& record) {
  CauseGroup group{.verdict = record.verdict, .cause = reason_of(record)};
  if (const CauseRecord* cause = chosen_cause(record)) {
    group.cause = cause->name;
    group.meaning = cause->meaning;
    group.link = cause->link;
  } else if (!record.explained_by.empty()) {
    group.cause = record.explained_by;
  } else if (record.unexplained && record.advice.empty()) {
    group.cause = kNothingKnown;
    group.meaning = "opref tried readings, other arithmetic and known mistakes";
  } else {
    group.meaning = record.advice.empty() && record.output_differs ? kSearchNotEnded : record.advice;
  }
  if (group.cause.empty()) group.cause = "no reason is known";
  return group;
}

/// Of such a group.
std::string key_of(const std::string& cause, const CaseRecord& record) {
  const bool is_known = !record.explained_by.empty() || record.unexplained;
  return is_known ? cause : without_names(cause);
}

/// Where the case is counted.
Group& group_of(Groups& groups, const CaseRecord& record) {
  constexpr std::size_t kMostGroups = 1000;
  CauseGroup start = start_of(record);
  std::pair key(record.verdict, key_of(start.cause, record));
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

std::string cause_of(const CaseRecord& record) { return start_of(record).cause; }

std::string cause_key(const CaseRecord& record) { return key_of(cause_of(record), record); }

bool has_cause(const CaseRecord& record, std::string_view key) {
  return cause_key(record) == key || std::ranges::count(record.causes, key, &CauseRecord::name) > 0;
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
    group.shown.weak += record.doubt.empty() ? 0 : 1;
    group.shown.near += record.within.empty() ? 0 : 1;
    group.shown.share = std::max(group.shown.share, record.largest_share());
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
  std::ranges::stable_sort(report.causes, std::ranges::greater(), [](const CauseGroup& group) {
    return std::pair(group.cause != kNothingKnown, group.count);
  });
}

std::vector<std::string> explanation_lines(const CaseRecord& record) {
  if (record.causes.size() > 1 && !record.doubt.empty()) {  // said once
    CaseRecord bare = record;
    bare.doubt.clear();
    if (const CauseRecord* chosen = chosen_cause(record)) bare.explained_by = explained_text(chosen->name, bare);
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

std::string restriction(const CauseGroup& group) {
  std::vector<std::string> parts;
  const auto add = [&](std::int64_t cases, std::string_view what) {
    const std::string some = cases < group.count ? format(" in {} of {} cases", cases, group.count) : "";
    if (cases > 0) parts.push_back(format("{}{}", what, some));
  };
  add(group.near, "not to the bit");
  add(group.weak, "weak evidence");
  if (group.share)
    parts.push_back(format("{} {}", group.count > 1 ? "shares up to" : "share",
                           std::isinf(*group.share) ? "infinite" : compare::short_number(*group.share)));
  return join_text(parts, ", ");
}

std::vector<std::string> cause_lines(const CheckReport& report, std::size_t most, std::string_view filter_option) {
  constexpr std::size_t kLongest = 1000;  // the case's own lines have an error in full
  std::vector<std::string> lines;
  std::int64_t bad = 0, left = 0, more = 0;
  for (const CauseGroup& group : report.causes) bad += group.count;
  if (bad == 0) return lines;
  lines.push_back(format("causes of {} that {} not pass:", counted(bad, "case"), bad == 1 ? "does" : "do"));
  for (std::size_t i = 0; i < report.causes.size(); ++i) {
    const CauseGroup& group = report.causes[i];
    if (i >= most && group.cause != kNothingKnown) {
      left += group.count;
      ++more;
      continue;
    }
    const std::string but = restriction(group);
    lines.push_back(format("  {} {}: {}{}", group.count, name(group.verdict), printable(group.cause, kLongestCause),
                           but.empty() ? "" : format(" ({})", but)));
    std::string meaning = printable(group.meaning, kLongest);
    if (!group.link.empty()) meaning += format("{}{}", meaning.empty() ? "" : "; ", printable(group.link, kLongest));
    if (!meaning.empty()) lines.push_back("      " + meaning);
    add_cases(lines, group, filter_option);
  }
  if (left > 0) lines.push_back(format("  {} with {}", counted(left, "case"), counted(more, "more cause")));
  return lines;
}

}  // namespace opref::report
