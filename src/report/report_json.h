// SPDX-License-Identifier: Apache-2.0
// A check report as a JSON document: what `check --json` prints, `check --report` writes and `report merge` reads.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "core/error.h"
#include "io/json/parse.h"
#include "report/document.h"

namespace opref::report {

inline constexpr Remedy kGiveReport{"give_report"};  ///< a file that `check` wrote as its JSON report

/// A json_document of chosen cases. The summary is that of all.
void json_document_of(const RunRecord& run, const VerdictCounts& counts, std::size_t cases,
                      const std::function<CaseRecord(std::size_t)>& record, const Sink& sink);

/// Reads what json_document wrote, and adds its cases to `cases`; `origin` is the file's name for messages. Faults:
/// `malformed`, with the place, for what is no JSON, no report, breaks the schema, has cases that are not sorted, or a
/// summary that contradicts them; `unsupported` for a report of another format.
RunRecord read_report(const ByteSource& source, std::string_view origin, RecordStore& cases);
RunRecord read_report(const std::filesystem::path& path, RecordStore& cases);

/// Whether a file begins as a report does.
bool is_report(const std::filesystem::path& path);

}  // namespace opref::report
