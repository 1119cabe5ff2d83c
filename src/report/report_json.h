// SPDX-License-Identifier: Apache-2.0
// A check report as a JSON document: what `check --json` prints, `check --report` writes and `report merge` reads.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "report/report.h"

namespace opref::report {

/// The document that report_schema() describes. Bytes that are not UTF-8 become U+FFFD; all else comes back from
/// read_report as it was.
std::string report_json(const CheckReport& report);

/// Reads what report_json wrote; `origin` is the file's name for messages. Faults: `malformed`, with the place, for
/// what is no JSON, no report, breaks the schema, or has a summary that
/// contradicts the cases; `unsupported` for a report of a newer format.
CheckReport read_report(std::string_view text, std::string_view origin);
CheckReport read_report(const std::filesystem::path& path);

/// Writes the document; "-" is standard output. Faults are `system`.
void write_report(const CheckReport& report, const std::filesystem::path& path);

/// The JSON Schema of reports, as `opref help report-schema` prints it.
std::string_view report_schema();

}  // namespace opref::report
