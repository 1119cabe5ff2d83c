// SPDX-License-Identifier: Apache-2.0
// A JSON document of any size, a part at a time.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "io/json/tree.h"

namespace opref::io {

/// Fills some or all of a buffer with the next bytes and says how many; 0 at the end.
using ByteSource = std::function<size_t(std::span<char>)>;
/// The text must outlive it.
ByteSource bytes_of(std::string_view text);

/// Reads an object whose one member is a long list: no more of it is in memory than one member, or one item of that
/// list. The text of parts is not checked, what is between them is: faults are `malformed`, with line and column.
class JsonStream {
 public:
  struct Part {
    std::string key;         ///< of the member
    bool is_item = false;    ///< of the list
    std::string text;        ///< the value as it is written
    JsonOrigin origin = {};  ///< for parse_json
  };

  JsonStream(ByteSource source, std::string_view list);
  /// Whether the document is an object, as far as its first character tells.
  bool is_object();
  /// The next member or item; false after the last one. The list itself is no part, but where it is no list.
  bool next(Part& part);

 private:
  int peek();
  char take();
  void skip_space();
  void expect(char wanted);
  void take_string(std::string& text);
  void take_value(std::string& text);
  bool next_item(Part& part);
  bool next_member(Part& part);
  [[noreturn]] void refuse(std::string_view what) const;

  ByteSource source_;
  const std::string list_;
  std::vector<char> buffer_;
  size_t at_ = 0, end_ = 0;
  size_t line_ = 0, column_ = 0;
  enum class State : std::uint8_t { begin, members, items, end } state_ = State::begin;
  bool is_first_ = true;  ///< of the members or items
  size_t index_ = 0;
  std::vector<std::string> keys_;
};

}  // namespace opref::io
