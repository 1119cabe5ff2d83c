// SPDX-License-Identifier: Apache-2.0
// A check report as one page for a browser.
#pragma once

#include <string_view>

#include "report/document.h"

namespace opref::report {

/// One self-contained HTML page that loads nothing: summary, filter, a view per case. The report is in it as JSON, from
/// which its script builds text nodes; nothing of the report is ever markup. For a browser's sake it shows at most
/// kMostShownCases cases, those that do not pass before others, and of the error maps the first ones, up to
/// kMostMapCells in all; it says how many cases it leaves out.
void html_document(const CheckReport& report, const Sink& sink);
inline constexpr std::size_t kMostShownCases = 20000;
inline constexpr std::size_t kMostMapCells = 24u << 20;

/// The page around the report, which stands in place of the text "@REPORT@": src/report/page/, joined by the build.
std::string_view html_template();

}  // namespace opref::report
