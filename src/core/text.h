// Sentences with values in them. A thin door to fmt, which costs a second of compile time where it is included.
#pragma once

#include <concepts>
#include <initializer_list>
#include <string>
#include <string_view>

#include "core/rooms.h"

namespace opref::core {

/// One value of a sentence, already written out. A type takes part by a free function `std::string to_text(const T&)`.
class TextArgument {
 public:
  TextArgument(std::string_view text) : text_(text) {}
  TextArgument(const std::string& text) : text_(text) {}
  TextArgument(const char* text) : text_(text) {}
  template <std::integral I>
  TextArgument(I value) : text_(std::to_string(value)) {}
  TextArgument(double value);  ///< the shortest digits that read back as the same double
  template <class T>
    requires requires(const T& value) { to_text(value); }
  TextArgument(const T& value) : text_(to_text(value)) {}

  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

/// `pattern` with each {} replaced by the next argument.
std::string format_arguments(std::string_view pattern, std::initializer_list<TextArgument> arguments);

template <class... A>
std::string format(std::string_view pattern, const A&... arguments) {
  return format_arguments(pattern, {TextArgument(arguments)...});
}

/// The items joined by `separator`; each through TextArgument.
template <class Range>
std::string join_text(const Range& items, std::string_view separator) {
  std::string text;
  bool first = true;
  for (const auto& item : items) {
    if (!first) text += separator;
    first = false;
    text += TextArgument(item).text();
  }
  return text;
}

/// The same of the first `most` items; "…" stands for further ones: for lists from files inside messages.
template <class Range>
std::string join_some(const Range& items, std::string_view separator, std::size_t most = 32) {
  std::string text;
  std::size_t count = 0;
  for (const auto& item : items) {
    if (count > 0) text += separator;
    if (count++ == most) return text + "…";
    text += TextArgument(item).text();
  }
  return text;
}

/// "1 attribute", "2 attributes".
std::string counted(long long number, std::string_view noun);

/// `text` with everything that is not printable ASCII or UTF-8 escaped, and cut after `most` bytes with "…": for names
/// and values from files inside messages.
std::string printable(std::string_view text, size_t most = 80);

/// "a, b, …": names from files, each printable, and no more than 16 of them.
template <class Range>
std::string printable_names(const Range& names) {
  constexpr std::size_t kMost = 16;
  std::string text;
  std::size_t count = 0;
  for (const auto& name : names) {
    if (count > 0) text += ", ";
    if (count++ == kMost) return text + "…";
    text += printable(name);
  }
  return text;
}

}  // namespace opref::core
