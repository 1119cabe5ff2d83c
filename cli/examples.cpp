// SPDX-License-Identifier: Apache-2.0
#include "cli/examples.h"

#include <algorithm>
#include <vector>

#include "core/text.h"

namespace opref::cli {
namespace {

using core::format;

constexpr size_t kColumns = 80;

/// Separated by blanks that are not in quotes.
std::vector<std::string_view> words_of(std::string_view command) {
  std::vector<std::string_view> words;
  while (!command.empty()) {
    size_t end = 0;
    for (bool quoted = false; end < command.size() && (quoted || command[end] != ' '); ++end)
      quoted ^= command[end] == '\'';
    words.push_back(command.substr(0, end));
    command.remove_prefix(std::min(end + 1, command.size()));
  }
  return words;
}

std::string wrapped(std::string_view command) {
  constexpr std::string_view kBegin = "  $ ", kNext = "      ", kGoesOn = " \\";
  std::string text, line(kBegin);
  for (const std::string_view word : words_of(command)) {
    const bool begins = line == kBegin || line == kNext;
    if (!begins && line.size() + 1 + word.size() + kGoesOn.size() > kColumns) {
      text += format("{}{}\n", line, kGoesOn);
      line = kNext;
    } else if (!begins) {
      line += ' ';
    }
    line += word;
  }
  return text + line;
}

}  // namespace

std::string examples_text(std::string_view examples) {
  std::string text;
  while (!examples.empty()) {
    const std::string_view line = examples.substr(0, examples.find('\n'));
    examples.remove_prefix(std::min(line.size() + 1, examples.size()));
    const bool is_long = line.starts_with("  $ ") && line.size() > kColumns;
    text += format("{}\n", is_long ? wrapped(line.substr(4)) : std::string(line));
  }
  return text;
}

}  // namespace opref::cli
