// SPDX-License-Identifier: Apache-2.0
// The scripts that `opref completion SHELL` prints: the files of cli/completion.
#pragma once

#include <string_view>
#include <vector>

namespace opref::cli {

struct CompletionScript {
  std::string_view shell;  ///< "bash"
  std::string_view text;
};
const std::vector<CompletionScript>& completion_scripts();

}  // namespace opref::cli
