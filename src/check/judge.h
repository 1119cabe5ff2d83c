// SPDX-License-Identifier: Apache-2.0
// One case and the verdict on it: of opref itself, or of a backend.
#pragma once

#include <filesystem>

#include "backend/backend.h"
#include "check/case_digests.h"
#include "check/discover.h"
#include "check/earlier_run.h"
#include "check/expected.h"
#include "check/handed.h"
#include "report/report.h"
#include "run/evaluate.h"
#include "run/load_case.h"

namespace opref::check {

struct JudgeOptions {
  EvaluationOptions evaluation;
  bool fix_names = false;               ///< see run::fix_names
  std::vector<std::string> nodes = {};  ///< of a case with several, these, by their names or outputs; empty: all
  ToleranceChoice tolerance;
  bool exact_tier = false;              ///< of opref itself: the exact tier alone must give the same bytes
  double timeout = 60;                  ///< seconds for what opref itself computes
  Backend* backend = nullptr;           ///< null: opref itself is judged
  CaseReader* reader = nullptr;         ///< of the cases; null: each is read alone
  std::filesystem::path scratch;        ///< for the files of cases; only with a backend that needs files
  CaseDigests* files = nullptr;         ///< null: records have no digests of their files
  const EarlierRun* earlier = nullptr;  ///< whose records are taken over where they hold; only with `files`
};

/// All of the record but `repeat`. What is expected of a backend are the case's expected outputs, or where it has none
/// the correctly rounded ones. No Error leaves this function but BackendError and MachineError (no space, no thread, …:
/// no verdict either): a bug in opref is the case's own error, and the others are judged all the same.
CaseRecord judge(const FoundCase& found, const JudgeOptions& options);

}  // namespace opref::check
