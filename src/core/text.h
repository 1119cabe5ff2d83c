// SPDX-License-Identifier: Apache-2.0
// Sentences with values in them. A thin door to fmt, which costs a second of compile time where it is included.
#pragma once

#include <concepts>
#include <cstdint>
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

/// The first `most` items as show(item) gives them, joined by `separator`; "…" stands for further ones.
template <class Range, class Show>
std::string join_some(const Range& items, std::string_view separator, std::size_t most, const Show& show) {
  std::string text;
  std::size_t count = 0;
  for (const auto& item : items) {
    if (count > 0) text += separator;
    if (count++ == most) return text + "…";
    text += show(item);
  }
  return text;
}

/// The same, each item through TextArgument: for lists from files inside messages.
template <class Range>
std::string join_some(const Range& items, std::string_view separator, std::size_t most = 32) {
  return join_some(items, separator, most, [](const auto& item) { return TextArgument(item).text(); });
}

/// All items.
template <class Range>
std::string join_text(const Range& items, std::string_view separator) {
  return join_some(items, separator, SIZE_MAX);
}

/// "1 attribute", "2 attributes".
std::string counted(long long number, std::string_view noun);

/// `text` with everything that is not printable ASCII or UTF-8 escaped, marks of the writing direction too, and cut
/// after `most` bytes with "…": for names and values from files inside messages.
std::string printable(std::string_view text, size_t most = 80);

/// "a, b, …": names from files, each printable, and no more than 16 of them.
template <class Range>
std::string printable_names(const Range& names) {
  return join_some(names, ", ", 16, [](const auto& name) { return printable(name); });
}

}  // namespace opref::core
