// SPDX-License-Identifier: Apache-2.0
// Text in the language man(7).
#pragma once

#include <string>
#include <string_view>

namespace opref::cli {

/// Nothing in it means anything to the formatter: backslashes, dots at the begin of lines, letters beyond ASCII.
std::string man_escaped(std::string_view text);
/// A text whose lines the formatter fills.
std::string man_paragraph(std::string_view text);
/// Lines that are shown as they are.
std::string man_block(std::string_view lines);
/// A line of a request: .SH "EXIT STATUS"
std::string man_heading(std::string_view request, std::string_view title);
/// Markdown as the files of cli/help have it, without its first line: headings, paragraphs, lists, tables, blocks of
/// code, `code`, *emphasis*. A row of a table is a term, its first cell, and what is said of it.
std::string man_from_markdown(std::string_view markdown);

}  // namespace opref::cli
