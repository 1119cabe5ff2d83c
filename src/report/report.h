// SPDX-License-Identifier: Apache-2.0
// What a run of `check` found: all that the JSON report, JUnit and the HTML page show. It can be written to and read
// back from JSON, so that the reports of several shards can be joined.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "report/case_record.h"
#include "report/changes.h"
#include "report/record_store.h"

namespace opref::report {

/// Failures or errors of a run that have one cause: a name as above, or the reason that they share.
struct CauseGroup {
  Verdict verdict = Verdict::fail;
  std::int64_t count = 0;
  std::string cause;
  std::string meaning = {}, link = {};  ///< of the cause; may be empty
  std::string example = {};             ///< the first case
  std::string filter = {};              ///< for --filter: of all cases exactly these
  std::int64_t weak = 0;                ///< of the cases those of which the evidence is weak
  std::int64_t near = 0;                ///< and those of which the cause gives not the bits, but comes closest

  std::optional<double> share = {};  ///< the largest of their errors over their bounds

  bool operator==(const CauseGroup&) const = default;
};

/// One run of `check`, but for its cases.
struct RunRecord {
  static constexpr int kFormat = 3;  ///< version of the JSON document
  std::string opref;                 ///< version
  std::string commit;                ///< of its source; empty: those of shards differ
  std::string title;                 ///< of what is no run of check: "opref bisect m.onnx"; its cases are nodes then
  std::vector<std::string> notes;    ///< lines, of the run as a whole
  std::string backend;               ///< "" (opref itself), "outputs DIR", "runner CMD"
  std::string rule;                  ///< the one chosen for all cases, else ""
  std::string options;               ///< those that may change a verdict; "differ": those of shards do
  std::string started;               ///< UTC, "2026-11-21T10:00:00Z"; "" where unknown
  double seconds = 0;                ///< that the run took, by the clock on the wall; of shards the longest; 0: unknown
  bool complete = true;              ///< false: interrupted, or ended at the first failure
  bool filtered = false;             ///< there are cases that were not asked for: no name tells less than all of it
  int shard = 1, shards = 1;
  std::int64_t all_count = 0;        ///< of the cases of all shards
  std::string all_sha256;            ///< of their names, see NamesDigest: what a merge checks completeness with
  std::vector<std::string> missing;  ///< of this shard's cases those that were not judged, sorted
  std::vector<CauseGroup> causes;    ///< of its failures and errors: see causes.h
  std::optional<Baseline> baseline;  ///< what differs from an earlier run, if it was compared with one
};

/// One run of `check`. Its cases are those of its shard, sorted by name.
struct CheckReport : RunRecord {
  RecordStore cases;
};

}  // namespace opref::report
