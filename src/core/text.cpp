// SPDX-License-Identifier: Apache-2.0
#include "core/text.h"

#include <fmt/args.h>
#include <fmt/format.h>

#include "core/utf8.h"

namespace opref::core {

TextArgument::TextArgument(double value) : text_(fmt::format("{}", value)) {}

std::string format_arguments(std::string_view pattern, std::initializer_list<TextArgument> arguments) {
  fmt::dynamic_format_arg_store<fmt::format_context> store;
  for (const TextArgument& argument : arguments) store.push_back(std::string_view(argument.text()));
  return fmt::vformat(pattern, store);
}

std::string counted(long long number, std::string_view noun) {
  return fmt::format("{} {}{}", number, noun, number == 1 ? "" : "s");
}

namespace {

bool is_control(std::uint32_t code) { return code < 0x20 || (code >= 0x7f && code < 0xa0); }

/// Ends of lines and paragraphs, and marks of the writing direction, by which what follows in the line would be shown
/// in another order.
bool is_layout(std::uint32_t code) {
  return (code >= 0x2028 && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069) || code == 0x200e || code == 0x200f ||
         code == 0x061c;
}

}  // namespace

std::string printable(std::string_view text, size_t most) {
  std::string out;
  while (!text.empty()) {
    if (out.size() >= most) return out + "…";
    const std::optional<CodePoint> first = first_code_point(text);
    const bool shown = first && !is_control(first->code) && !is_layout(first->code);
    const size_t size = first ? first->size : 1;
    if (shown)
      out += text.substr(0, size);
    else
      for (const char byte : text.substr(0, size)) out += fmt::format("\\x{:02x}", static_cast<unsigned char>(byte));
    text.remove_prefix(size);
  }
  return out;
}

}  // namespace opref::core
