// SPDX-License-Identifier: Apache-2.0
// Joining the reports of several shards.
#pragma once

#include <span>
#include <string>

#include "report/report.h"

namespace opref::report {

struct NamedReport {
  std::string file;  ///< for messages
  CheckReport report;
};

/// One report of shard 1 of 1 with the cases of all, whatever their order; it began when the first one did. Each shard
/// 1..N must be there once, all must be of one run (opref's version, backend, rule, number of shards, names of all
/// cases), and every case must be in exactly one. Otherwise a `usage` error that names the files.
CheckReport merge_reports(std::span<const NamedReport> reports);

}  // namespace opref::report
