// SPDX-License-Identifier: Apache-2.0
// The program around the subcommands: parsing, help (short with -h, long with --help, examples first), version.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "cli/command_text.h"

namespace opref::cli {

/// Prints what `opref NAME --help` does, of the program itself where the name is empty; false: there is no such
/// command.
bool print_long_help(std::string_view name);
/// The program, then each subcommand, with all their options.
std::vector<CommandText> command_texts();

/// Parses what follows the program's name, then runs the chosen subcommand or prints help or version; returns the exit
/// code. Trouble with the arguments is a `usage` error; for an unknown option or command it offers the nearest.
int parse_and_run(std::span<char* const> arguments);

}  // namespace opref::cli
