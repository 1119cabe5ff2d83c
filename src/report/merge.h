// SPDX-License-Identifier: Apache-2.0
// Joining the reports of several shards.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/error.h"
#include "report/report_json.h"

namespace opref::report {

/// Shards that do not end at the first failure.
inline constexpr Remedy kWholeShards{"whole_shards"};

/// Reports of two runs.
inline constexpr Remedy kCompareReports{"compare_reports"};

/// What two runs must have alike, each by its name: "backend".
using RunFacts = std::vector<std::pair<std::string_view, std::string>>;
/// "its backend is (none), not runner x": the first fact of a run that is another than `expected`; empty: none is.
std::string difference(const RunFacts& run, const RunFacts& expected);

/// Reads one report after the other, and joins them.
class Merge {
 public:
  /// Faults: those of read_report. `file` is its name for messages.
  void add(const std::filesystem::path& path, std::string file);

  /// One report of shard 1 of 1 with the cases of all, whatever their order; it began when the first one did. Each
  /// shard 1..N must be there once, all must be of one run (opref's version, backend, rule, number of shards, names of
  /// all cases), and every case must be in exactly one. Otherwise a `usage` error that names the files. Call it once.
  CheckReport finish();

 private:
  struct Input {
    std::string file;
    RunRecord run;
    std::size_t begin, end;  ///< of its cases
  };
  void require_one_run() const;
  void sort_cases();
  void require_all_cases() const;
  RunRecord joined_run() const;

  std::vector<Input> inputs_;
  RecordStore cases_;
};

}  // namespace opref::report
