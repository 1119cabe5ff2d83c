// SPDX-License-Identifier: Apache-2.0
// The program from its arguments to its exit code.
#pragma once

#include <string>
#include <vector>

namespace opref::cli {

/// Runs the program as main does: parses the arguments, runs the command, reports what fails, flushes standard output.
/// Returns the exit code.
int run_program(int argc, char** argv);

/// How a command ended that a child process ran.
struct EndedCommand {
  int exit_code;  ///< 128 + the signal's number if a signal ended it
  std::string output, errors;
};

/// Runs the program with these arguments (without the program's name) in a child process, with empty standard input.
/// This process must have no other threads. Faults: `system`.
EndedCommand run_in_child(const std::vector<std::string>& arguments);

}  // namespace opref::cli
