// SPDX-License-Identifier: Apache-2.0
// opref completion
#include <algorithm>
#include <memory>

#include "cli/commands.h"
#include "cli/completion.h"
#include "cli/output.h"
#include "core/error.h"

namespace opref::cli {
namespace {

void print_script(const std::string& shell) {
  std::vector<std::string_view> names;
  for (const CompletionScript& script : completion_scripts()) {
    if (script.shell == shell) return print(script.text);
    names.push_back(script.shell);
  }
  fail(Fault::usage, "there is no completion for '{}' ({})", printable(shell), join_text(names, ", "));
}

}  // namespace

Action add_completion(Options& command) {
  const auto shell = std::make_shared<std::string>();
  add_argument(command, "SHELL", *shell, "bash, zsh or fish").required().offers({"bash", "zsh", "fish"});
  return [shell] {
    print_script(*shell);
    return 0;
  };
}

}  // namespace opref::cli
