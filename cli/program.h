// SPDX-License-Identifier: Apache-2.0
// The program around the subcommands: parsing, help (short with -h, long with --help, examples first), version.
#pragma once

#include <span>

namespace opref::cli {

/// Parses what follows the program's name, then runs the chosen subcommand or prints help or version; returns the exit
/// code. Trouble with the arguments is a `usage` error; for an unknown option or command it offers the nearest.
int parse_and_run(std::span<char* const> arguments);

}  // namespace opref::cli
