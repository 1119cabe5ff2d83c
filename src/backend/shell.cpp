// SPDX-License-Identifier: Apache-2.0
#include "backend/shell.h"

#include <algorithm>
#include <vector>

#include "core/error.h"

namespace opref::backend {
namespace {

enum class Quotes : std::uint8_t { none, single, double_ };

/// Follows a command's quotes, character by character.
class ShellScan {
 public:
  Quotes quotes() const { return levels_.back().quotes; }

  void pass(char c) {
    Level& level = levels_.back();
    const char before = std::exchange(before_, c);
    if (level.quotes == Quotes::single) {
      if (c == '\'') level.quotes = Quotes::none;
      return;
    }
    if (std::exchange(escaped_, false)) {
      before_ = '\0';
      return;
    }
    if (c == '\\') {
      escaped_ = true;
    } else if (c == '(' && before == '$') {
      levels_.push_back({});  // quotes begin anew
    } else if (c == '"') {
      level.quotes = level.quotes == Quotes::none ? Quotes::double_ : Quotes::none;
    } else if (level.quotes == Quotes::none) {
      if (c == '\'') level.quotes = Quotes::single;
      if (c == '(') ++level.parentheses;
      if (c == ')' && level.parentheses-- == 0 && levels_.size() > 1) levels_.pop_back();
    }
  }

 private:
  struct Level {
    Quotes quotes = Quotes::none;
    int parentheses = 0;
  };
  std::vector<Level> levels_ = {{}};
  char before_ = '\0';
  bool escaped_ = false;
};

/// Between single quotes.
std::string single_quoted(std::string_view text) {
  std::string quoted;
  for (const char c : text) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted;
}

std::string quoted_in(Quotes quotes, std::string_view text) {
  if (quotes == Quotes::none) return "'" + single_quoted(text) + "'";
  if (quotes == Quotes::single) return single_quoted(text);
  std::string quoted;
  for (const char c : text) {
    if (std::string_view("$`\"\\").find(c) != std::string_view::npos) quoted += '\\';
    quoted += c;
  }
  return quoted;
}

/// The word of "{word}…", or "".
std::string_view braced_word(std::string_view text) {
  if (!text.starts_with('{')) return "";
  const size_t end = text.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_-", 1);
  return end == std::string_view::npos || text[end] != '}' ? "" : text.substr(1, end - 1);
}

}  // namespace

std::string shell_quoted(std::string_view text) {
  const bool plain = !text.empty() && text.find_first_not_of(
                                          "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
                                          "_-./:=,+@%") == std::string_view::npos;
  if (plain || printable(text, text.size()) == text) return plain ? std::string(text) : quoted_in(Quotes::none, text);
  // Bytes that a terminal would not show are printed by the command itself.
  std::string octal;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte >= 0x7f)
      octal += {'\\', static_cast<char>('0' + byte / 64), static_cast<char>('0' + byte / 8 % 8),
                static_cast<char>('0' + byte % 8)};
    else
      octal += c == '%' || c == '\\' ? std::string(2, c) : std::string(1, c);
  }
  return "\"$(printf " + quoted_in(Quotes::none, octal) + ")\"";
}

std::string with_places(std::string_view command, std::span<const ShellPlace> places) {
  std::string text;
  ShellScan scan;
  while (!command.empty()) {
    const std::string_view word = braced_word(command);
    const auto place = std::ranges::find(places, word, &ShellPlace::first);
    if (place != places.end()) {
      text += quoted_in(scan.quotes(), place->second);
      command.remove_prefix(word.size() + 2);
    } else {
      scan.pass(command.front());
      text += command.front();
      command.remove_prefix(1);
    }
  }
  return text;
}

bool has_places(std::string_view command, std::span<const std::string_view> names) {
  bool found = false;
  for (size_t i = 0; i < command.size(); ++i) {
    const std::string_view word = braced_word(command.substr(i));
    if (word.empty() || (i > 0 && command[i - 1] == '$')) continue;  // ${word} is the shell's
    if (std::ranges::find(names, word) != names.end()) {
      found = true;
    } else if (const std::string nearest = did_you_mean(word, names); !nearest.empty()) {
      fail(Fault::usage, "'{}' is no place of a runner's command{}", format("{{{}}}", word), nearest);
    }
  }
  return found;
}

}  // namespace opref::backend
