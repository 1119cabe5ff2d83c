// SPDX-License-Identifier: Apache-2.0
// Cases that an earlier run has judged already.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "check/discover.h"
#include "report/report.h"

namespace opref::check {

/// The report of a run, of whatever shards, whose verdicts hold for the same cases. Threads may share one.
class EarlierRun {
 public:
  /// Only a report of the same opref, backend, rule and options as `now` has any; a file that is not there, and a
  /// report of another format, have none. Faults: those of read_report.
  EarlierRun(const std::filesystem::path& path, const RunRecord& now);

  /// The record of the case, if it was judged by files of this digest; none of an error that may have been the
  /// machine's.
  std::optional<CaseRecord> find(const FoundCase& found, const std::string& files) const;
  /// In the report.
  std::size_t count() const { return cases_.size(); }
  /// Why none of its cases counts; empty: they do, or there is no report.
  const std::string& why_none() const { return why_none_; }

 private:
  RecordStore cases_;  ///< sorted by name
  std::string why_none_;
};

}  // namespace opref::check
