// SPDX-License-Identifier: Apache-2.0
#include "report/report_summary.h"

#include <algorithm>
#include <map>

#include "core/error.h"
#include "report/causes.h"

namespace opref::report {
namespace {

using Lines = std::vector<std::string>;

void add_unsupported(Lines& lines, const CheckReport& report) {
  constexpr std::size_t kMostReasons = 12;
  std::map<std::string, std::int64_t> numbers;
  for (const CaseRecord& record : report.cases)
    if (record.verdict == Verdict::unsupported) ++numbers[record.reason];
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
  struct Cases {
    std::int64_t decided = 0, possible = 0;
  };
  std::map<std::string, Cases> readings;
  for (const CaseRecord& record : report.cases)
    for (const ReadingRecord& reading : record.readings)
      ++(reading.others.empty() ? readings[reading.name].possible : readings[reading.name].decided);
  for (const auto& [name, cases] : readings) {
    std::string text = format("reading {}: {} {} on it", printable(name), counted(cases.decided, "case"),
                              cases.decided == 1 ? "depends" : "depend");
    if (cases.possible > 0) text += format(", {} may", cases.possible);
    lines.push_back(std::move(text));
  }
}

void add_outputs(Lines& lines, const CheckReport& report) {
  std::int64_t outputs = 0, bit_equal = 0, one_ulp = 0, without_bound = 0;
  for (const CaseRecord& record : report.cases)
    for (const OutputRecord& output : record.outputs) {
      ++outputs;
      const Comparison& comparison = output.comparison;
      if (!comparison.reason.empty()) continue;  // nothing was compared
      bit_equal += comparison.bit_equal == comparison.count;
      one_ulp += comparison.within_one_ulp == comparison.count;
      without_bound += comparison.without_bound;
    }
  if (outputs > 0)
    lines.push_back(
        format("{}: {} equal bit for bit, {} within 1 ULP", counted(outputs, "output"), bit_equal, one_ulp));
  if (without_bound > 0)
    lines.push_back(format("{} without a bound of {} own: the accumulator may overflow",
                           counted(without_bound, "element"), without_bound == 1 ? "its" : "their"));
}

}  // namespace

VerdictCounts count_verdicts(const CheckReport& report) {
  VerdictCounts counts;
  for (std::size_t i = 0; i < kVerdicts.size(); ++i)
    counts[i] = {kVerdicts[i], std::ranges::count(report.cases, kVerdicts[i], &CaseRecord::verdict)};
  return counts;
}

std::string summary_text(const VerdictCounts& counts) {
  std::int64_t all = 0;
  Lines parts;
  for (const auto& [verdict, number] : counts) {
    all += number;
    parts.push_back(format("{} {}", number, name(verdict)));
  }
  return format("{}: {}", counted(all, "case"), join_text(parts, ", "));
}

std::vector<std::string> summary_lines(const CheckReport& report, std::size_t most_causes,
                                       std::string_view filter_option) {
  Lines lines;
  add_unsupported(lines, report);
  add_readings(lines, report);
  add_outputs(lines, report);
  for (std::string& line : cause_lines(report, most_causes, filter_option)) lines.push_back(std::move(line));
  if (!report.complete) lines.emplace_back("not complete: some cases were not judged");
  lines.push_back(summary_text(count_verdicts(report)));
  return lines;
}

bool is_failure(Verdict verdict, const ExitRules& rules) {
  const bool not_judged = verdict == Verdict::unsupported || verdict == Verdict::skip;
  return verdict == Verdict::fail || verdict == Verdict::error || (rules.require_all && not_judged);
}

int exit_code(const CheckReport& report, const ExitRules& rules) {
  const bool empty_shard = report.shards > 1 && report.cases.empty() && !report.all_names.empty();
  bool judged = empty_shard || rules.allow_empty;
  for (const CaseRecord& record : report.cases) {
    if (is_failure(record.verdict, rules)) return 1;
    judged |= record.verdict == Verdict::pass;
  }
  return judged ? 0 : static_cast<int>(Fault::unsupported);
}

}  // namespace opref::report
