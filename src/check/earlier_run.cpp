// SPDX-License-Identifier: Apache-2.0
#include "check/earlier_run.h"

#include <algorithm>
#include <functional>

#include "core/error.h"
#include "report/merge.h"

namespace opref::check {
namespace {

report::RunFacts facts_of(const RunRecord& run) {
  return {{"version of opref", run.opref},
          {"commit of opref", run.commit},
          {"backend", run.backend},
          {"rule", run.rule},
          {"options", run.options}};
}

std::uint64_t hash(const std::string& name) { return std::hash<std::string>()(name); }

}  // namespace

EarlierRun::EarlierRun(const std::filesystem::path& path, const RunRecord& now) {
  std::error_code ignored;
  if (path != "-" && !std::filesystem::exists(path, ignored)) return;
  try {
    why_none_ = report::difference(facts_of(report::read_report(path, cases_)), facts_of(now));
  } catch (const Error& error) {
    if (error.fault() != Fault::unsupported) throw;
    why_none_ = error.message();
  }
  if (!why_none_.empty()) return;
  for (std::size_t i = 0; i < cases_.size(); ++i)
    places_.emplace_back(hash(cases_.name(i)), static_cast<std::uint32_t>(i));
  std::ranges::sort(places_);
}

std::optional<CaseRecord> EarlierRun::find(const FoundCase& found, const std::string& files) const {
  if (files.empty()) return std::nullopt;
  const std::uint64_t wanted = hash(found.name);
  for (auto place = std::ranges::lower_bound(places_, std::pair(wanted, std::uint32_t{0}));
       place != places_.end() && place->first == wanted; ++place) {
    CaseRecord record = cases_.at(place->second);
    if (record.name != found.name) continue;
    if (record.files != files || record.path != found.path || record.transient) return std::nullopt;
    record.taken_over = true;
    return record;
  }
  return std::nullopt;
}

}  // namespace opref::check
