// SPDX-License-Identifier: Apache-2.0
#include "core/utf8.h"

namespace opref::core {
namespace {

bool is_code_point(std::uint32_t code) { return code < 0xd800 || (code > 0xdfff && code <= 0x10ffff); }

/// Bytes that a code point takes.
size_t size_of(std::uint32_t code) { return code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4; }

}  // namespace

std::optional<CodePoint> first_code_point(std::string_view text) {
  if (text.empty()) return std::nullopt;
  const auto first = static_cast<unsigned char>(text[0]);
  const size_t size = first < 0x80 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
  if ((first >= 0x80 && first < 0xc0) || first >= 0xf8 || size > text.size()) return std::nullopt;
  std::uint32_t code = size == 1 ? first : first & (0x7fU >> size);
  for (size_t i = 1; i < size; ++i) {
    const auto next = static_cast<unsigned char>(text[i]);
    if ((next & 0xc0) != 0x80) return std::nullopt;
    code = code << 6 | (next & 0x3f);
  }
  if (!is_code_point(code) || size_of(code) != size) return std::nullopt;
  return CodePoint{code, size};
}

bool is_utf8(std::string_view text) {
  for (auto point = first_code_point(text); point; point = first_code_point(text)) text.remove_prefix(point->size);
  return text.empty();
}

std::string valid_utf8(std::string_view text) {
  const auto may_go_on = [](std::string_view begin) {
    return first_code_point(std::string(begin) + "\x80\x80") || first_code_point(std::string(begin) + "\xbf\xbf");
  };
  std::string valid;
  while (!text.empty()) {
    const std::optional<CodePoint> point = first_code_point(text);
    size_t size = point ? point->size : 1;
    while (!point && size < text.size() && may_go_on(text.substr(0, size + 1))) ++size;
    valid += point ? text.substr(0, size) : kReplacement;
    text.remove_prefix(size);
  }
  return valid;
}

bool append_utf8(std::string& text, std::uint32_t code) {
  if (!is_code_point(code)) return false;
  constexpr std::uint32_t kFirst[] = {0, 0, 0xc0, 0xe0, 0xf0};
  const size_t size = size_of(code);
  for (size_t i = 0; i < size; ++i) {
    const std::uint32_t bits = code >> (6 * (size - 1 - i));
    text += static_cast<char>(i == 0 ? kFirst[size] | bits : 0x80 | (bits & 0x3f));
  }
  return true;
}

std::optional<std::vector<std::uint32_t>> code_points(std::string_view text) {
  std::vector<std::uint32_t> codes;
  while (!text.empty()) {
    const std::optional<CodePoint> first = first_code_point(text);
    if (!first) return std::nullopt;
    codes.push_back(first->code);
    text.remove_prefix(first->size);
  }
  return codes;
}

}  // namespace opref::core
