// SPDX-License-Identifier: Apache-2.0
// The parts of a JSON report, each by itself.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "io/json/tree.h"
#include "report/report.h"

namespace opref::report {

inline constexpr std::string_view kFormatKey = "report_format";

/// What a record's line begins with, before the name itself.
inline constexpr std::string_view kNameBegin = "{\"name\": \"";

/// The record as one line of JSON, without its end. Bytes that are not UTF-8 become U+FFFD.
std::string record_line(const CaseRecord& record);
/// Faults: `malformed` with the place.
CaseRecord read_record(std::string_view text, const JsonOrigin& origin = {});

/// A document without cases, which begins with its format and the summary.
std::string run_text(const RunRecord& run, const VerdictCounts& counts);

struct ReadRun {
  RunRecord run;
  std::optional<VerdictCounts> counts;  ///< as the document states them
};
/// What run_text gave.
ReadRun read_run(std::string_view text);

}  // namespace opref::report
