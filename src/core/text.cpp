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

std::string printable(std::string_view text, size_t most) {
  std::string out;
  while (!text.empty()) {
    if (out.size() >= most) return out + "…";
    const auto first = static_cast<unsigned char>(text[0]);
    size_t size = sequence_size(text);
    const bool beyond_ascii = size == 2 && first == 0xc2 && static_cast<unsigned char>(text[1]) < 0xa0;
    const bool control = first < 0x20 || first == 0x7f || beyond_ascii;
    if (size > 0 && !control)
      out += text.substr(0, size);
    else
      out += fmt::format("\\x{:02x}", first), size = 1;
    text.remove_prefix(size);
  }
  return out;
}

}  // namespace opref::core
