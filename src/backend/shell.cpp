// SPDX-License-Identifier: Apache-2.0
#include "backend/shell.h"

#include <algorithm>
#include <vector>

#include "core/error.h"

namespace opref::backend {
namespace {

constexpr std::string_view kSigns = "_-./:=,+@%";

/// Whether the shell takes it for one word, and no character of it for anything else.
bool is_plain(std::string_view text) {
  const auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
  return !text.empty() && std::ranges::all_of(text, [&](char c) {
    return is_letter(c) || (c >= '0' && c <= '9') || kSigns.find(c) != std::string_view::npos;
  });
}

/// As one word of a shell command.
std::string in_single_quotes(std::string_view text) {
  std::string quoted = "'";
  for (const char c : text) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

/// The word of "{word}…", or "".
std::string_view braced_word(std::string_view text) {
  if (!text.starts_with('{')) return "";
  const size_t end = text.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_-", 1);
  return end == std::string_view::npos || text[end] != '}' ? "" : text.substr(1, end - 1);
}

}  // namespace

std::string shell_quoted(std::string_view text) {
  const bool plain = is_plain(text);
  if (plain || printable(text, text.size()) == text) return plain ? std::string(text) : in_single_quotes(text);
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
  return "\"$(printf " + in_single_quotes(octal) + ")\"";
}

std::string with_places(std::string_view command, std::span<const Place> places) {
  std::vector<std::string_view> names;
  for (const Place& place : places) names.push_back(place.name);
  std::string filled;
  for (size_t i = 0; i < command.size();) {
    std::string_view word = braced_word(command.substr(i));
    if (i > 0 && command[i - 1] == '$') word = "";  // ${word} is the shell's
    const auto place = std::ranges::find(places, word, &Place::name);
    if (place == places.end()) {
      if (const std::string nearest = did_you_mean(word, names); !word.empty() && !nearest.empty())
        fail(Fault::usage, "'{}' is no place of a runner's command{}", format("{{{}}}", word), nearest);
      filled += command[i++];
      continue;
    }
    if (!is_plain(place->path))
      fail(Fault::usage, "{{{}}} would be {}: set TMPDIR to a folder whose path has only letters, digits and {}",
           place->name, printable(place->path), kSigns);
    filled += place->path;
    i += word.size() + 2;
  }
  return filled;
}

}  // namespace opref::backend
