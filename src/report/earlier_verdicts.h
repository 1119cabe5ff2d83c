// SPDX-License-Identifier: Apache-2.0
// The verdicts of an earlier run, and what differs from them now.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "report/report.h"
#include "report/report_summary.h"

namespace opref::report {

class EarlierVerdicts {
 public:
  /// A report of whatever version of opref, backend, rule and shards. `file` is its name for messages. Faults: those of
  /// read_report.
  EarlierVerdicts(const std::filesystem::path& path, std::string file);

  /// A failure of a case that did not fail, or was not there.
  bool is_new_failure(const std::string& name, Verdict now, const ExitRules& rules) const;
  /// How the cases of a run differ, whose causes are settled. Where a run has only some of its cases, no case counts as
  /// gone, or none as added; `differences` say so.
  Baseline changes(const CheckReport& now, const ExitRules& rules) const;

 private:
  struct EarlierCase {
    std::string name, key;  ///< see cause_key
    CaseState state;
  };
  class Comparison;

  std::string file_;
  RunRecord run_;
  std::vector<EarlierCase> cases_;  ///< sorted by name
};

}  // namespace opref::report
