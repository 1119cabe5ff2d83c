// SPDX-License-Identifier: Apache-2.0
#include "run/symbol_names.h"

#include <algorithm>

namespace opref::run {
namespace {

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

}  // namespace

bool is_identifier(std::string_view text) {
  return !text.empty() && is_letter(text.front()) &&
         std::ranges::all_of(text, [](char c) { return is_letter(c) || is_digit(c); });
}

bool is_reserved(std::string_view name) {
  constexpr std::string_view kWords = " floor Min Max ";
  if (const size_t at = kWords.find(name); is_identifier(name) && at != std::string_view::npos)
    if (kWords[at - 1] == ' ' && kWords[at + name.size()] == ' ') return true;
  return name.size() > 1 && name.front() == 'u' && name[1] != '0' && std::ranges::all_of(name.substr(1), is_digit);
}

}  // namespace opref::run
