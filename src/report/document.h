// SPDX-License-Identifier: Apache-2.0
// A document made of a report, written as it is made: no format holds more than a case in memory.
#pragma once

#include <filesystem>
#include <functional>
#include <string_view>

#include "report/report.h"

namespace opref::report {

/// Takes the next part of a document.
using Sink = std::function<void(std::string_view)>;
/// One of json_document, junit_document, html_document, markdown_document.
using Document = void (*)(const CheckReport& report, const Sink& sink);

/// Writes it to a file; "-" is standard output. Faults are `system`.
void write_document(Document document, const CheckReport& report, const std::filesystem::path& path);

}  // namespace opref::report
