// SPDX-License-Identifier: Apache-2.0
// The words of ONNX text. Used by the reader of ONNX text alone.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/error.h"

namespace opref::io {

/// Reads ONNX text from left to right; white space and comments (# to the end of the line) separate words and mean
/// nothing. Every fault is `malformed`: "ONNX text: '(' expected at position 17: 'X)'".
class OnnxScanner {
 public:
  explicit OnnxScanner(std::string_view text) : text_(text) {}

  /// The next character, 0 at the end.
  char peek();
  bool at_end();
  /// Where the next word begins, for `fail_at`.
  size_t position();
  /// Reads `token`, which is punctuation, if it comes next.
  bool take(std::string_view token);
  void expect(std::string_view token);

  /// [A-Za-z_][A-Za-z0-9_]*, or "" if something else comes next.
  std::string optional_identifier();
  std::string identifier(std::string_view noun);
  /// "…" in double quotes; a backslash takes the next character as it is.
  std::string quoted(std::string_view noun);
  /// An identifier or a quoted name.
  std::string name(std::string_view noun);
  /// A decimal, or inf, infinity, nan with a sign, as it is written.
  std::string number();
  /// A 64-bit integer.
  std::int64_t whole_number(std::string_view noun);

  /// (item (',' item)*)? and `close`.
  template <class Item>
  void list_until(std::string_view close, const Item& item) {
    if (take(close)) return;
    do item();
    while (take(","));
    expect(close);
  }
  /// Types and graphs nest: runs `body`, or fails where that is deeper than anybody means.
  template <class Body>
  auto nested(const Body& body) {
    constexpr int kDeepest = 50;
    if (++depth_ > kDeepest) fail_at(position(), format("nested more than {} deep", kDeepest));
    auto result = body();
    --depth_;
    return result;
  }

  [[noreturn]] void fail_at(size_t position, std::string_view what, Fault fault = Fault::malformed) const;
  [[noreturn]] void fail_expected(std::string_view noun);

 private:
  char at(size_t position) const { return position < text_.size() ? text_[position] : '\0'; }
  void skip_digits();

  std::string_view text_;
  size_t next_ = 0;
  int depth_ = 0;
};

/// inf, infinity or nan, in upper or lower case.
bool is_special_number(std::string_view word);

}  // namespace opref::io
