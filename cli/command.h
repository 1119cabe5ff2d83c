// SPDX-License-Identifier: Apache-2.0
// A command as data: its options, what it does, and the help that both make with its text.
#pragma once

#include <string>
#include <string_view>

#include "cli/commands.h"

namespace opref::cli {

/// What a subcommand says of itself beside its options.
struct HelpText {
  std::string_view summary;   ///< "evaluate a node; write, print or compare its outputs"
  std::string_view usage;     ///< "NODE [NAME=FILE…] [-o OUT]"
  std::string_view examples;  ///< lines "  $ opref …", each of which runs in the source folder, comments above them;
                              ///< a long one goes on after a backslash
  std::string_view details;   ///< shown by --help only: lines of at most 80 columns; those without indent are titles
};

/// The text of cli/help/commands/NAME.txt: "opref NAME - SUMMARY", "usage: opref NAME USAGE", "Examples" and the
/// details, each after an empty line. Of the program itself the name is empty, and "opref" the file's.
HelpText command_help(std::string_view name);

bool is_command(std::string_view name);

/// A subcommand, or the program itself, whose name is empty.
struct Command {
  std::string_view name;
  Options options = {};
  Action action = nullptr;  ///< the program has none

  explicit Command(std::string_view its_name);
};

enum class HelpLength : std::uint8_t { brief, full };
/// What `opref COMMAND -h` or --help prints.
std::string help_text(const Command& command, HelpLength length);

}  // namespace opref::cli
