#include "core/name_filter.h"

#include <array>

#include "core/error.h"

namespace opref::core {

// The standard library's expressions need as much stack as a name is long.
NameFilter::NameFilter(const std::string& expression) {
  const int error = regcomp(&expression_, expression.c_str(), REG_EXTENDED | REG_NOSUB);
  if (error == 0) return;
  std::array<char, 200> reason{};
  regerror(error, &expression_, reason.data(), reason.size());
  fail(Fault::usage, "'{}' is no regular expression: {}", printable(expression), reason.data());
}

bool NameFilter::matches(const std::string& name) const {
  return regexec(&expression_, name.c_str(), 0, nullptr, 0) == 0;
}

std::string NameFilter::only(const std::string& name) {
  std::string expression = "^";
  for (const char c : name) {
    if (std::string_view(R"(\^$.|?*+()[]{})").find(c) != std::string_view::npos) expression += '\\';
    expression += c;
  }
  return expression + "$";
}

}  // namespace opref::core
