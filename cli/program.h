// SPDX-License-Identifier: Apache-2.0
// The program around the subcommands: parsing, help (short with -h, long with --help, examples first), version.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "cli/command_text.h"

namespace opref::cli {

/// Adds a subcommand with -h and --help (`command_help`). `add_options` is called only if the subcommand is used or
/// helped with: the options of all subcommands together cost more time than the start of the process. `topics` are
/// listed in its help, where there are any.
void add_command(CLI::App& program, std::string_view name, std::function<void(CLI::App&)> add_options,
                 std::string_view topics = {});
/// What the subcommand does once its options are parsed; returns the exit code.
void set_action(CLI::App& command, std::function<int()> action);

/// Prints what `opref NAME --help` does, of the program itself where the name is empty; false: there is no such
/// command.
bool print_long_help(CLI::App& program, std::string_view name);
/// Names of the subcommands, in their order.
std::vector<std::string> command_names(const CLI::App& program);
/// The program, then each subcommand, with all their options.
std::vector<CommandText> command_texts(CLI::App& program);

/// Without subcommands.
std::shared_ptr<CLI::App> new_program();
/// Parses, then runs the chosen subcommand or prints help or version. Trouble with the arguments is a `usage` error;
/// for an unknown option or command it offers the nearest.
int parse_and_run(CLI::App& program, int argc, char** argv);

}  // namespace opref::cli
