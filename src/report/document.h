// SPDX-License-Identifier: Apache-2.0
// The documents made of a report, each written as it is made: no format holds more than a case in memory.
#pragma once

#include <filesystem>
#include <functional>
#include <string_view>

#include "report/report.h"

namespace opref::report {

/// Takes the next part of a document.
using Sink = std::function<void(std::string_view)>;
using Document = void (*)(const CheckReport& report, const Sink& sink);

/// JUnit XML as Jenkins' xunit plugin (junit-10.xsd), GitLab and others read it: one testsuite per operator and
/// version, one testcase per case. `fail` is a <failure>, `error` an <error>, `unsupported` and `skip` are <skipped>;
/// so are failures that the run it was compared with had too; the message is the case's reason, the text what its
/// outputs and the repeat command say. Characters that XML 1.0 forbids become U+FFFD.
void junit_document(const CheckReport& report, const Sink& sink);

/// One self-contained HTML page that loads nothing: summary, filter, a view per case. The report is in it as JSON, from
/// which its script builds text nodes; nothing of the report is ever markup. For a browser's sake it shows at most
/// kMostShownCases cases, those that do not pass before others, and of the error maps the first ones, up to
/// kMostMapCells in all; it says how many cases it leaves out.
void html_document(const CheckReport& report, const Sink& sink);
inline constexpr std::size_t kMostShownCases = 20000;
inline constexpr std::size_t kMostMapCells = 24u << 20;
/// The page around the report, which stands in place of the text "@REPORT@": src/report/page/, joined by the build.
std::string_view html_template();

/// What was judged, the counts, what differs from an earlier run, the table of causes with an example and a filter
/// each, and why cases are unsupported. Whatever comes from cases stands as text: it neither ends a cell nor makes a
/// link.
void markdown_document(const CheckReport& report, const Sink& sink);

/// What `opref help report-schema` describes, a line for each case. Bytes that are not UTF-8 become U+FFFD; all else
/// comes back from read_report as it was.
void json_document(const CheckReport& report, const Sink& sink);

/// Writes one to a file; "-" is standard output. Faults are `system`.
void write_document(Document document, const CheckReport& report, const std::filesystem::path& path);

}  // namespace opref::report
