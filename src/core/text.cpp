#include "core/text.h"

#include <fmt/args.h>
#include <fmt/format.h>

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

std::string printable(std::string_view text, size_t most) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    if (out.size() >= most) return out + "…";
    const auto c = static_cast<unsigned char>(text[i]);
    if (c >= 0x20 && c < 0x7f) {
      out += text[i];
      continue;
    }
    // A well-formed UTF-8 sequence passes whole; anything else is shown as bytes.
    const size_t length = c >= 0xf0 && c < 0xf5 ? 4 : c >= 0xe0 && c < 0xf0 ? 3 : c >= 0xc2 && c < 0xe0 ? 2 : 1;
    bool whole = length > 1 && i + length <= text.size();
    for (size_t k = 1; whole && k < length; ++k) whole = (static_cast<unsigned char>(text[i + k]) & 0xc0) == 0x80;
    if (whole && !(length == 2 && c == 0xc2 && static_cast<unsigned char>(text[i + 1]) < 0xa0)) {
      out += text.substr(i, length);
      i += length - 1;
    } else {
      out += fmt::format("\\x{:02x}", c);
    }
  }
  return out;
}

}  // namespace opref::core
