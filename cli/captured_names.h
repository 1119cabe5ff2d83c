// SPDX-License-Identifier: Apache-2.0
// --names: values that another program wrote under other names.
#pragma once

#include <string>

#include "check/model_values.h"
#include "cli/options.h"

namespace opref::cli {

void add_names(Options& command, std::string& names);
/// A `usage` error for --names without --outputs.
void require_outputs_of_names(const std::string& names, const std::string& outputs);
/// What the file says; nothing where none is named.
CapturedNames read_captured(const std::string& names, const Graph& graph);

}  // namespace opref::cli
