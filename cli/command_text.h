// SPDX-License-Identifier: Apache-2.0
// The command line as data: what --help and the completion of shells are made of.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/options.h"

namespace opref::cli {

/// What a subcommand says of itself beside its options.
struct HelpText {
  std::string_view summary;   ///< "evaluate a node; write, print or compare its outputs"
  std::string_view usage;     ///< "NODE [NAME=FILE…] [-o OUT]"
  std::string_view examples;  ///< lines "  $ opref …", each of which runs in the source folder, comments above them;
                              ///< a long one goes on after a backslash
  std::string_view details;   ///< shown by --help only: lines of at most 80 columns; those without indent are titles
  std::string_view topics = {};  ///< what `opref help` prints help on, beside commands and operators
};

/// The text of cli/help/commands/NAME.txt: "opref NAME - SUMMARY", "usage: opref NAME USAGE", "Examples" and the
/// details, each after an empty line. Of the program itself the name is empty, and "opref" the file's.
HelpText command_help(std::string_view name);

/// "-a,--attribute NAME=VALUE"
std::string synopsis(const OptionText& option);

struct CommandText {
  std::string name;  ///< empty: the program itself
  HelpText help;
  std::vector<OptionText> options;
};

enum class HelpLength : std::uint8_t { brief, full };
/// What `opref COMMAND -h` or --help prints.
std::string help_text(const CommandText& command, HelpLength length);
/// The same of the program with these commands.
std::string help_text(const CommandText& program, const std::vector<CommandText>& commands, HelpLength length);

}  // namespace opref::cli
