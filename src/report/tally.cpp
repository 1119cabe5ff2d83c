// SPDX-License-Identifier: Apache-2.0
#include "report/tally.h"

#include <algorithm>
#include <cmath>

#include "core/text.h"
#include "core/utf8.h"

namespace opref::report {
namespace {

std::string suite_name(const CaseRecord& record) {
  if (record.op_type.empty()) return "unknown";
  std::string name = record.domain.empty() ? record.op_type : record.domain + "." + record.op_type;
  if (record.since_version > 0) name += format("-{}", record.since_version);
  return name;
}

}  // namespace

void NamesDigest::add(const std::string& name) {
  ++count_;
  hash_.add(valid_utf8(name));
  hash_.add(std::string_view("\0", 1));
}

void count_text(std::map<std::string, std::int64_t>& counts, const std::string& text) {
  constexpr std::size_t kMost = 10000;
  ++counts[counts.size() < kMost || counts.contains(text) ? text : "for other reasons"];
}

std::size_t Tally::add(const CaseRecord& record) {
  ++verdicts[record.verdict];
  taken_over += record.taken_over ? 1 : 0;
  internal += record.internal ? 1 : 0;
  if (record.verdict == Verdict::unsupported) count_text(unsupported, record.reason);
  for (const ReadingRecord& reading : record.readings)
    ++(reading.others.empty() ? readings[reading.name].possible : readings[reading.name].decided);
  for (const CauseRecord& cause : record.causes) ++fits[cause.name];
  for (const OutputRecord& output : record.outputs) {
    ++outputs;
    const Comparison& comparison = output.comparison;
    if (!comparison.reason.empty()) continue;  // nothing was compared
    bit_equal += comparison.bit_equal == comparison.count;
    one_ulp += comparison.within_one_ulp == comparison.count;
    without_bound += comparison.without_bound;
    if (!comparison.bound_ratio) continue;
    const double share = *comparison.bound_ratio;
    ++(share > 1 ? beyond : comparison.accurate_ratio ? page : accurate);
    largest_share = std::max(largest_share, share);
  }
  Suite& suite = suites
                     .try_emplace(std::tuple(record.domain, record.op_type, record.since_version),
                                  Suite{.name = suite_name(record), .number = suites.size()})
                     .first->second;
  ++suite.verdicts[record.verdict];
  suite.seconds += std::isfinite(record.seconds) ? record.seconds : 0;
  return suite.number;
}

}  // namespace opref::report
