// SPDX-License-Identifier: Apache-2.0
// The JSON Schemas of what commands print and write, beside those of cases and reports.
#pragma once

#include <string>
#include <string_view>

namespace opref::cli {

/// Of every document that --json prints; reports and comparisons as report_schema() says.
std::string document_schema();
/// Of golden's manifest.json.
std::string manifest_schema();

/// cli/help/document-schema.json: the first without what report_schema() says.
std::string_view document_schema_text();
/// cli/help/manifest-schema.json
std::string_view manifest_schema_text();

}  // namespace opref::cli
