// SPDX-License-Identifier: Apache-2.0
#include "report/report_summary.h"

#include <algorithm>
#include <cmath>

#include "core/error.h"
#include "report/causes.h"

namespace opref::report {
namespace {

using Lines = std::vector<std::string>;

void add_unsupported(Lines& lines, const CheckReport& report) {
  constexpr std::size_t kMostReasons = 12;
  const auto& numbers = report.cases.tally().unsupported;
  std::vector<std::pair<std::string, std::int64_t>> reasons(numbers.begin(), numbers.end());
  std::ranges::stable_sort(reasons, std::ranges::greater(), [](const auto& reason) { return reason.second; });
  std::int64_t rest = 0;
  for (std::size_t i = 0; i < reasons.size(); ++i) {
    if (i < kMostReasons)
      lines.push_back(format("unsupported {}: {}", reasons[i].second, printable(reasons[i].first, 1000)));
    else
      rest += reasons[i].second;
  }
  if (rest > 0) lines.push_back(format("unsupported {}: {} more reasons", rest, reasons.size() - kMostReasons));
}

void add_readings(Lines& lines, const CheckReport& report) {
  for (const auto& [name, cases] : report.cases.tally().readings) {
    std::string text = format("reading {}: {} {} on it", printable(name), counted(cases.decided, "case"),
                              cases.decided == 1 ? "depends" : "depend");
    if (cases.possible > 0) text += format(", {} may", cases.possible);
    lines.push_back(std::move(text));
  }
}

void add_outputs(Lines& lines, const CheckReport& report) {
  const Tally& tally = report.cases.tally();
  if (tally.outputs > 0)
    lines.push_back(format("{}: {} equal to the bit, {} more within 1 ULP", counted(tally.outputs, "output"),
                           tally.bit_equal, tally.one_ulp - tally.bit_equal));
  if (const std::int64_t judged = tally.accurate + tally.page + tally.beyond; judged > 0) {
    std::vector<std::string> parts = {format("{} accurate", tally.accurate)};
    if (tally.page > 0) parts.push_back(format("{} by the page's formula", tally.page));
    if (tally.beyond > 0) parts.push_back(format("{} beyond it", tally.beyond));
    const bool is_infinite = std::isinf(tally.largest_share);
    lines.push_back(format("{} with a bound: {}; largest share {}", counted(judged, "output"), join_text(parts, ", "),
                           is_infinite ? "infinite" : compare::short_number(tally.largest_share)));
  }
  if (tally.without_bound > 0)
    lines.push_back(format("{} without a bound of {} own: such a kernel may meet Inf or NaN there",
                           counted(tally.without_bound, "element"), tally.without_bound == 1 ? "its" : "their"));
}

}  // namespace

std::string summary_text(const VerdictCounts& counts) {
  Lines parts;
  for (const Verdict verdict : kVerdicts) parts.push_back(format("{} {}", counts[verdict], name(verdict)));
  return format("{}: {}", counted(counts.all(), "case"), join_text(parts, ", "));
}

std::vector<std::string> summary_lines(const CheckReport& report, std::size_t most_causes,
                                       std::string_view filter_option) {
  Lines lines;
  add_unsupported(lines, report);
  add_readings(lines, report);
  add_outputs(lines, report);
  for (std::string& line : cause_lines(report, most_causes, filter_option)) lines.push_back(std::move(line));
  if (report.baseline)
    for (std::string& line : change_lines(*report.baseline, most_causes)) lines.push_back(std::move(line));
  if (!report.complete) lines.emplace_back("not complete: some cases were not judged");
  lines.push_back(summary_text(report.cases.tally().verdicts));
  if (report.baseline) lines.push_back(changes_text(*report.baseline));
  return lines;
}

bool is_failure(Verdict verdict, const ExitRules& rules) {
  const bool not_judged = verdict == Verdict::unsupported || verdict == Verdict::skip;
  return verdict == Verdict::fail || verdict == Verdict::error || (rules.require_all && not_judged);
}

int exit_code(const CheckReport& report, const ExitRules& rules) {
  if (report.cases.tally().internal > 0) return static_cast<int>(Fault::internal);
  const VerdictCounts& counts = report.cases.tally().verdicts;
  const bool fails = std::ranges::any_of(
      kVerdicts, [&](Verdict verdict) { return counts[verdict] > 0 && is_failure(verdict, rules); });
  if (report.baseline ? report.baseline->count(Change::new_failure) > 0 : fails) return 1;
  const bool empty_shard = report.shards > 1 && report.cases.empty() && report.all_count > 0;
  const bool nothing_judged = counts[Verdict::pass] + counts[Verdict::fail] + counts[Verdict::error] == 0;
  return nothing_judged && !empty_shard && !rules.allow_empty ? static_cast<int>(Fault::unsupported) : 0;
}

}  // namespace opref::report
