// SPDX-License-Identifier: Apache-2.0
// Judging the cases of a run of `check`.
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "check/earlier_run.h"
#include "check/select.h"
#include "cli/arguments.h"
#include "cli/report_files.h"
#include "report/report.h"

namespace opref::cli {

inline constexpr double kTimeout = 60;  ///< seconds

/// The command line of `check`.
struct CheckArguments {
  std::vector<std::string> paths;
  ToleranceArguments tolerance;
  std::optional<std::int64_t> jobs, max_bytes;
  std::string filter, shard, outputs, runner, resume, baseline;
  std::vector<std::string> nodes;
  ReportFiles reports;
  double timeout = kTimeout;
  ExitRules rules;
  bool json = false, list = false, verbose = false, fail_fast = false, exact_tier = false, fix_names = false;

  int threads() const;
  /// Of all cases that are evaluated at a time.
  std::int64_t bytes() const;
  /// Those that may change a verdict, as they are written.
  std::string deciding_options() const;
};

/// Judges all cases, or takes their records from an earlier run, and adds the records to `records`, in their order;
/// prints what is printed of each as soon as it is known and all before it are. Calls `keep` now and then, and
/// `finish_early` where an interrupt or the machine ends the run with those that are known.
struct CheckRun {
  const CheckArguments& arguments;
  const std::vector<FoundCase>& cases;
  const EarlierRun* earlier;        ///< null: there is none
  const EarlierVerdicts* baseline;  ///< the same; cases that failed then are not told in full
  RecordStore& records;
  std::function<void()> keep, finish_early;

  void judge_all() const;
};

}  // namespace opref::cli
