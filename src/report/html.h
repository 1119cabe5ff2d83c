// SPDX-License-Identifier: Apache-2.0
// A check report as one page for a browser.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "report/report.h"

namespace opref::report {

/// One self-contained HTML page that loads nothing: summary, filter, a view per case. The report is in it as JSON, from
/// which its script builds text nodes; nothing of the report is ever markup. Of the error maps the first ones are
/// shown, up to kMostMapCells in all.
std::string html_page(const CheckReport& report);
inline constexpr std::size_t kMostMapCells = 24u << 20;

/// Writes it; "-" is standard output. Faults are `system`.
void write_html(const CheckReport& report, const std::filesystem::path& path);

/// The page around the report, which stands in place of the text "@REPORT@": src/report/page/, joined by the build.
std::string_view html_template();

}  // namespace opref::report
