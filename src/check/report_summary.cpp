#include "check/report_summary.h"

#include <algorithm>

#include "core/error.h"

namespace opref {
namespace {

std::int64_t number_of(const VerdictCounts& counts, Verdict verdict) {
  return counts[static_cast<std::size_t>(std::ranges::find(kVerdicts, verdict) - kVerdicts.begin())].second;
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
  std::vector<std::string> parts;
  for (const auto& [verdict, number] : counts) {
    all += number;
    parts.push_back(format("{} {}", number, name(verdict)));
  }
  return format("{}: {}", counted(all, "case"), join_text(parts, ", "));
}

int exit_code(const VerdictCounts& counts, const ExitRules& rules) {
  if (number_of(counts, Verdict::fail) + number_of(counts, Verdict::error) > 0) return 1;
  if (rules.require_all && number_of(counts, Verdict::unsupported) + number_of(counts, Verdict::skip) > 0) return 1;
  const bool judged = number_of(counts, Verdict::pass) > 0;
  return judged || rules.allow_empty ? 0 : static_cast<int>(Fault::unsupported);
}

}  // namespace opref
