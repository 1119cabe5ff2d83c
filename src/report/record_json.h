// SPDX-License-Identifier: Apache-2.0
// The parts of a JSON report, each by itself.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "compare/tolerance.h"
#include "io/json/tree.h"
#include "report/report.h"

namespace opref::report {

inline constexpr std::string_view kFormatKey = "report_format";

inline constexpr std::string_view kCasesKey = "cases";

Json record_json(const CaseRecord& record);
/// {"equal", "rule"} and the members of a Comparison, as every document that opref prints has them; "where" of equal
/// tensors too.
Json comparison_json(const Comparison& comparison, const Tolerance& tolerance);
/// What differs from an earlier run, as a report has it.
Json baseline_json(const Baseline& baseline);
/// Faults: `malformed` with the place.
CaseRecord read_record(const JsonValue& record);

/// A document without cases, which begins with its format and the summary.
Json run_json(const RunRecord& run, const VerdictCounts& counts);

struct ReadRun {
  RunRecord run;
  std::optional<VerdictCounts> counts;  ///< as the document states them
};
/// What run_json gave, with or without cases, which are passed over.
ReadRun read_run(const JsonValue& document);

}  // namespace opref::report
