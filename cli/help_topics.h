// SPDX-License-Identifier: Apache-2.0
// What `opref help TOPIC` prints: the files of cli/help, each under its name.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace opref::cli {

/// A page: a file NAME.md.
struct HelpTopic {
  std::string_view name;  ///< "exit-codes"
  std::string_view text;  ///< Markdown of at most 80 columns, but for links; its first line is "# TITLE: MEANING"

  std::string_view title() const { return text.substr(2, text.find(": ") - 2); }
  std::string_view meaning() const;
};
/// By name.
const std::vector<HelpTopic>& help_topics();

/// A file of which the text is used as it is.
struct HelpFile {
  std::string_view name;  ///< "report-schema"
  std::string_view text;
};
/// The JSON Schemas: the files NAME.json.
const std::vector<HelpFile>& schema_files();
/// What each command says of itself beside its options: the files commands/NAME.txt; that of the program is "opref".
const std::vector<HelpFile>& command_files();

/// What another program reads, or what follows from the operators.
struct DataTopic {
  std::string_view name;     ///< "schema"
  std::string_view meaning;  ///< in a few words
  std::string (*text)();
};
const std::vector<DataTopic>& data_topics();

/// "Topics", then a line for each page and each of these.
std::string_view topics_text();

}  // namespace opref::cli
