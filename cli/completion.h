// SPDX-License-Identifier: Apache-2.0
// What may stand at the cursor of a command line.
#pragma once

#include <span>
#include <string_view>
#include <vector>

namespace opref::cli {

/// A script that `opref completion SHELL` prints: a file of cli/completion.
struct CompletionScript {
  std::string_view shell;  ///< "bash"
  std::string_view text;
};
const std::vector<CompletionScript>& completion_scripts();

/// Answers what the scripts of `opref completion` call, "opref completion --complete WORD…"; false: it is another
/// command. The words are the command line from the program's name to the word at the cursor, which may be empty; the
/// shell's quotes are taken off. They may be anything, so that the parser of options does not see them. The answer is
/// lines "VALUE<tab>MEANING", and ":files" where a file's name fits too, behind the word's last "=". Words that are no
/// command, option or operator leave less to offer, and are no error.
bool answer_completion(std::span<char* const> arguments);

}  // namespace opref::cli
