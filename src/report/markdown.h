// SPDX-License-Identifier: Apache-2.0
// A report in Markdown, for the summaries that CI servers show.
#pragma once

#include <filesystem>
#include <string>

#include "report/report.h"

namespace opref::report {

/// What was judged, the counts, the table of causes with an example and a filter each, and why cases are unsupported.
/// Whatever comes from cases stands as text: it neither ends a cell nor makes a link.
std::string markdown_summary(const CheckReport& report);

/// Fault: `system`.
void write_markdown(const CheckReport& report, const std::filesystem::path& path);

}  // namespace opref::report
