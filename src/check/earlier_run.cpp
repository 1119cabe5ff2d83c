// SPDX-License-Identifier: Apache-2.0
#include "check/earlier_run.h"

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
  std::size_t place = 0;
  for (std::size_t end = cases_.size(); place < end;) {
    const std::size_t middle = place + (end - place) / 2;
    cases_.name(middle) < found.name ? place = middle + 1 : end = middle;
  }
  if (place == cases_.size()) return std::nullopt;
  CaseRecord record = cases_.at(place);
  if (record.name != found.name || record.files != files || record.path != found.path || record.transient)
    return std::nullopt;
  record.taken_over = true;
  return record;
}

}  // namespace opref::check
