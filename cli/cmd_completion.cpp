// SPDX-License-Identifier: Apache-2.0
// opref completion
#include <algorithm>
#include <memory>

#include "cli/commands.h"
#include "cli/completion.h"
#include "cli/completion_scripts.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/program.h"
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

constexpr std::string_view kRequest = "--complete";

}  // namespace

Action add_completion(Options& command) {
  const auto shell = std::make_shared<std::string>();
  add_argument(command, "SHELL", *shell, "bash, zsh or fish").required().offers({"bash", "zsh", "fish"});
  return [shell] {
    print_script(*shell);
    return 0;
  };
}

bool is_completion_request(std::span<char* const> arguments) {
  return arguments.size() > 3 && arguments[1] == std::string_view("completion") && arguments[2] == kRequest;
}

void print_completions(std::span<char* const> arguments) {
  const std::vector<std::string> words(arguments.begin() + 3, arguments.end());
  const Completions found = completions(command_texts(), words);
  std::string text;
  for (const Completions::Value& value : found.values)
    text += format("{}\t{}\n", value.text, printable(value.meaning, 100));
  print(text + (found.files ? ":files\n" : ""));
}

}  // namespace opref::cli
