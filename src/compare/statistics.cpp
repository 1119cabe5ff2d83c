// SPDX-License-Identifier: Apache-2.0
#include "compare/statistics.h"

#include <algorithm>
#include <numeric>

#include "core/text.h"

namespace opref::compare {

std::string UlpHistogram::label(size_t bin) {
  if (bin == kNoDistance) return "none";
  if (bin <= 2) return std::to_string(bin);
  const std::uint64_t below = std::uint64_t{1} << (bin - 2);
  const std::uint64_t most = bin == kNoDistance - 1 ? UINT64_MAX : 2 * below;
  return format("{}-{}", below + 1, most);
}

ErrorSummary ErrorSum::summary() {
  flush();
  ErrorSummary summary = summary_;
  if (summary.count > 0) summary.mean = sum_ / static_cast<double>(summary.count);
  if (!(summary.mean <= summary.max)) summary.mean = summary.max;
  return summary;
}

ErrorSummary Statistics::ulp() const {
  ErrorSummary summary;
  summary.count = std::accumulate(histogram_.bins.begin(), histogram_.bins.end() - 1, std::int64_t{0});
  summary.max = static_cast<double>(max_ulp_);
  if (summary.count > 0) summary.mean = static_cast<double>(ulp_sum_) / static_cast<double>(summary.count);
  return summary;
}

void WorstList::insert(std::int64_t element, const Badness& badness) {
  const auto worse = [](const auto& a, const auto& b) { return b.first < a.first; };
  const std::pair entry(badness, element);
  list_.insert(std::ranges::upper_bound(list_, entry, worse), entry);
  if (list_.size() > most_) list_.pop_back();
}

}  // namespace opref::compare
