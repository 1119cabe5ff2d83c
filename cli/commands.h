// SPDX-License-Identifier: Apache-2.0
// The subcommands: each declares its options, and says what it does once they are parsed.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "cli/options.h"

namespace opref::cli {

/// Returns the exit code.
using Action = std::function<int()>;

Action add_run(Options& command);
Action add_infer(Options& command);
Action add_diff(Options& command);
Action add_show(Options& command);
Action add_check(Options& command);
Action add_golden(Options& command);
Action add_bisect(Options& command);
Action add_extract(Options& command);
Action add_explain(Options& command);
Action add_ops(Options& command);
/// What `opref ops OPERATOR` prints; false where no operator has the name.
bool print_operator(const std::string& name);
Action add_report(Options& command);
Action add_worker(Options& command);
Action add_completion(Options& command);
Action add_help(Options& command);

struct CommandRow {
  std::string_view name;
  Action (*add)(Options&);
};
/// In the order of `opref help`.
std::span<const CommandRow> command_rows();

}  // namespace opref::cli
