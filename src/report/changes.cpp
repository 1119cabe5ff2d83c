// SPDX-License-Identifier: Apache-2.0
#include "report/changes.h"

#include <algorithm>
#include <cmath>

#include "compare/compare.h"
#include "core/text.h"
#include "report/causes.h"

namespace opref::report {
namespace {

constexpr std::size_t kLongestName = 1000;  // the case's own lines have an error in full

std::string share_text(double share) {
  return format("share {}", std::isinf(share) ? "infinite" : compare::short_number(share));
}

std::string cause_text(const CaseState& state) { return printable(state.cause, kLongestCause); }

/// "fail: mistake B ignored (share 26)"
std::string state_text(const std::optional<CaseState>& state) {
  if (!state) return "not there";
  std::string text(name(state->verdict));
  if (!state->cause.empty()) text += ": " + cause_text(*state);
  if (state->share) text += format(" ({})", share_text(*state->share));
  return text;
}

/// "2 new failures", "1 fixed"
std::string number_text(std::int64_t number, Change change) {
  const std::string_view words = heading(change);
  return change == Change::fixed || change == Change::added || change == Change::gone
             ? format("{} {}", number, words)
             : counted(number, words.substr(0, words.size() - 1));
}

}  // namespace

std::int64_t Baseline::count(Change change) const { return std::ranges::count(changes, change, &CaseChange::change); }

std::string_view heading(Change change) {
  constexpr std::array<std::string_view, kChanges.size()> kHeadings = {
      "new failures", "fixed", "other verdicts", "other causes", "other shares", "added", "gone"};
  return kHeadings[static_cast<std::size_t>(change)];
}

std::string change_text(const CaseChange& change) {
  const auto& [kind, name, before, now] = change;
  if (!before || !now) {
    const std::string there = state_text(before ? before : now);
    return before ? format("{}, now not there", there) : kind == Change::added ? there : "not there, now " + there;
  }
  if (kind == Change::other_cause && before->verdict == now->verdict)
    return format("{}, now {}", cause_text(*before), cause_text(*now));
  if (kind == Change::other_share && before->share && now->share)
    return format("{}, now {}", share_text(*before->share), compare::short_number(*now->share));
  return format("{}, now {}", report::name(before->verdict), state_text(now));
}

std::string changes_text(const Baseline& baseline) {
  std::vector<std::string> parts;
  for (const Change change : kChanges)
    if (const std::int64_t number = baseline.count(change); number > 0) parts.push_back(number_text(number, change));
  if (baseline.count(Change::new_failure) == 0) parts.insert(parts.begin(), "no new failure");
  std::string text = join_text(parts, ", ");
  if (const std::int64_t known = baseline.known_failures; known > 0)
    text += format("; {} {} as before", counted(known, "case"), known == 1 ? "fails" : "fail");
  return text;
}

std::vector<std::string> change_lines(const Baseline& baseline, std::size_t most) {
  std::vector<std::string> lines = {format("compared with {}:", printable(baseline.file, kLongestName))};
  for (const std::string& difference : baseline.differences)
    lines.push_back("  " + printable(difference, kLongestName));
  if (baseline.changes.empty()) lines.emplace_back("  no case differs");
  for (const Change change : kChanges) {
    const auto all = static_cast<std::size_t>(baseline.count(change));
    if (all == 0) continue;
    lines.push_back(format("{}: {}", heading(change), all));
    std::size_t told = 0;
    for (const CaseChange& one : baseline.changes)
      if (one.change == change && ++told <= most)
        lines.push_back(format("  {}: {}", printable(one.name, kLongestName), change_text(one)));
    if (all > most) lines.push_back(format("  … {} more", all - most));
  }
  return lines;
}

}  // namespace opref::report
