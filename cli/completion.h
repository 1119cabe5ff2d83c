// SPDX-License-Identifier: Apache-2.0
// What may stand at the cursor of a command line.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/command_text.h"

namespace CLI {
class App;
}

namespace opref::cli {

struct Completions {
  struct Value {
    std::string text;     ///< of the whole word; one that ends in "=" goes on
    std::string meaning;  ///< a few words, or empty
  };
  std::vector<Value> values;
  bool files = false;  ///< a file's name fits too, behind the word's last "="
};

/// `words` is the command line from the program's name to the word at the cursor, which may be empty; the shell's
/// quotes are taken off. Words that are no command, option or operator leave less to offer, and are no error.
Completions completions(std::span<const CommandText> commands, std::span<const std::string> words);

/// What the scripts of `opref completion` call: "opref completion --complete WORD…" with the words of `completions`.
/// They may be anything, so that the parser of options does not see them.
bool is_completion_request(std::span<char* const> arguments);
/// Lines "VALUE<tab>MEANING", and ":files" where a file's name fits.
void print_completions(std::span<char* const> arguments);

}  // namespace opref::cli
