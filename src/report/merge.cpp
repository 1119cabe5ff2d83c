// SPDX-License-Identifier: Apache-2.0
#include "report/merge.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "core/error.h"
#include "report/causes.h"

namespace opref::report {
namespace {

using Sorted = std::vector<const NamedReport*>;

/// "(none)" rather than nothing.
std::string shown_text(std::string_view text) { return text.empty() ? "(none)" : printable(text); }

void require_same(const NamedReport& a, const NamedReport& b, std::string_view what, const std::string& in_a,
                  const std::string& in_b) {
  if (in_a != in_b)
    fail(Fault::usage, "{} is of another run than {}: its {} is {}, not {}", b.file, a.file, what, shown_text(in_b),
         shown_text(in_a));
}

void require_same_names(const NamedReport& a, const NamedReport& b) {
  const std::vector<std::string>&in_a = a.report.all_names, &in_b = b.report.all_names;
  const auto [left, right] = std::ranges::mismatch(in_a, in_b);
  if (left == in_a.end() && right == in_b.end()) return;
  const bool only_a = right == in_b.end() || (left != in_a.end() && *left < *right);
  fail(Fault::usage, "{} is of another run than {}: of all cases, '{}' is known to {} only", b.file, a.file,
       printable(only_a ? *left : *right), only_a ? a.file : b.file);
}

void require_one_run(const Sorted& reports) {
  const NamedReport& first = *reports.front();
  for (const NamedReport* other : reports) {
    const CheckReport &a = first.report, &b = other->report;
    require_same(first, *other, "version of opref", a.opref, b.opref);
    require_same(first, *other, "backend", a.backend, b.backend);
    require_same(first, *other, "rule", a.rule, b.rule);
    require_same(first, *other, "number of shards", std::to_string(a.shards), std::to_string(b.shards));
    require_same_names(first, *other);
  }
}

void require_each_shard_once(const Sorted& reports) {
  const int shards = reports.front()->report.shards;
  std::map<int, std::string> files;
  for (const NamedReport* named : reports) {
    const auto [known, added] = files.emplace(named->report.shard, named->file);
    if (!added)
      fail(Fault::usage, "shard {} of {} is there twice: {} and {}", named->report.shard, shards, known->second,
           named->file);
  }
  constexpr std::size_t kMostNamed = 10;
  std::vector<int> missing;
  for (int shard = 1; shard <= shards && missing.size() < kMostNamed; ++shard)
    if (!files.contains(shard)) missing.push_back(shard);
  const std::size_t number = static_cast<std::size_t>(shards) - files.size();
  if (number > 0)
    fail(Fault::usage, "of {}, {} {} missing: {}{}", counted(shards, "shard"), number, number == 1 ? "is" : "are",
         join_text(missing, ", "), number > missing.size() ? ", …" : "");
}

void require_each_case_once(const Sorted& reports) {
  const std::vector<std::string>& all = reports.front()->report.all_names;
  std::map<std::string_view, std::string_view> files;
  for (const NamedReport* named : reports)
    for (const CaseRecord& record : named->report.cases) {
      if (!std::ranges::binary_search(all, record.name))
        fail(Fault::usage, "{} has a case '{}' that is not among the names of all cases", named->file,
             printable(record.name));
      const auto [known, added] = files.emplace(record.name, named->file);
      if (!added)
        fail(Fault::usage, "case '{}' is there twice: in {} and {}", printable(record.name), known->second,
             named->file);
    }
  const auto missing = std::ranges::find_if(all, [&](const std::string& name) { return !files.contains(name); });
  if (missing != all.end())
    fail(Fault::usage, Remedy::whole_shards, "case '{}' is in no report, {} missing in all; a shard ended early",
         printable(*missing), all.size() - files.size());
}

}  // namespace

CheckReport merge_reports(std::span<const NamedReport> reports) {
  if (reports.empty()) fail(Fault::usage, "there is no report to merge");
  Sorted sorted;
  for (const NamedReport& named : reports) sorted.push_back(&named);
  std::ranges::sort(sorted, {}, [](const NamedReport* named) { return std::tie(named->report.shard, named->file); });
  require_one_run(sorted);
  require_each_shard_once(sorted);
  require_each_case_once(sorted);
  CheckReport merged = sorted.front()->report;
  merged.shard = merged.shards = 1;
  for (const NamedReport* named : std::span(sorted).subspan(1)) {
    const CheckReport& report = named->report;
    merged.cases.insert(merged.cases.end(), report.cases.begin(), report.cases.end());
    merged.started = std::min(merged.started, report.started);
    merged.seconds = std::max(merged.seconds, report.seconds);
    merged.complete &= report.complete;
    merged.filtered |= report.filtered;
  }
  std::ranges::sort(merged.cases, {}, &CaseRecord::name);
  settle_causes(merged);
  return merged;
}

}  // namespace opref::report
