// SPDX-License-Identifier: Apache-2.0
// The subcommands. Each adds itself, its options and its action to the program.
#pragma once

namespace CLI {
class App;
}

namespace opref::cli {

void add_run(CLI::App& program);
void add_infer(CLI::App& program);
void add_diff(CLI::App& program);
void add_show(CLI::App& program);
void add_check(CLI::App& program);
void add_golden(CLI::App& program);
void add_bisect(CLI::App& program);
void add_extract(CLI::App& program);
void add_explain(CLI::App& program);
void add_ops(CLI::App& program);
/// What `opref ops OPERATOR` prints; false where no operator has the name.
bool print_operator(const std::string& name);
void add_report(CLI::App& program);
void add_worker(CLI::App& program);
void add_completion(CLI::App& program);
void add_help(CLI::App& program);

}  // namespace opref::cli
