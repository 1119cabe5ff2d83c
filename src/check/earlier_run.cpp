// SPDX-License-Identifier: Apache-2.0
#include "check/earlier_run.h"

#include <algorithm>
#include <ranges>

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
}

std::optional<CaseRecord> EarlierRun::find(const FoundCase& found, const std::string& files) const {
  if (files.empty() || !why_none_.empty()) return std::nullopt;
  const auto places = std::views::iota(std::size_t{0}, cases_.size());
  const auto place = std::ranges::lower_bound(places, found.name, {}, [this](std::size_t i) { return cases_.name(i); });
  if (place == places.end()) return std::nullopt;
  CaseRecord record = cases_.at(*place);
  if (record.name != found.name || record.files != files || record.path != found.path || record.transient)
    return std::nullopt;
  record.taken_over = true;
  return record;
}

}  // namespace opref::check
