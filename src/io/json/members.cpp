// SPDX-License-Identifier: Apache-2.0
#include "io/json/members.h"

#include <algorithm>

namespace opref::io {
namespace {

constexpr std::string_view kSpace = " \t\r\n";

/// The position of the quote that ends the string whose content begins at `at`, or the end of the text.
size_t end_of_string(std::string_view text, size_t at) {
  while (at < text.size() && text[at] != '"') at += text[at] == '\\' ? 2 : 1;
  return std::min(at, text.size());
}

size_t skip_space(std::string_view text, size_t at) {
  return std::min(text.find_first_not_of(kSpace, at), text.size());
}

}  // namespace

void each_member(std::string_view text, const std::function<bool(const JsonMember&)>& found) {
  size_t depth = 0;
  for (size_t at = 0; (at = text.find_first_of("\"{}[]", at)) < text.size(); ++at) {
    if (text[at] == '{' || text[at] == '[') ++depth;
    if (text[at] == '}' || text[at] == ']') depth -= depth > 0;
    if (text[at] != '"') continue;
    const size_t begin = at + 1;
    at = end_of_string(text, begin);
    const size_t colon = skip_space(text, at + 1);
    if (colon == text.size() || text[colon] != ':') continue;
    if (!found({depth, text.substr(begin, at - begin), text.substr(skip_space(text, colon + 1))})) return;
  }
}

}  // namespace opref::io
