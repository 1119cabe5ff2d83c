// SPDX-License-Identifier: Apache-2.0
#include "io/quoted_text.h"

#include <algorithm>
#include <charconv>

#include "core/error.h"
#include "core/utf8.h"

namespace opref::io {
namespace {

class QuotedParser {
 public:
  QuotedParser(std::string_view text, size_t& position) : text_(text), position_(position) {}

  std::string parse() {
    std::string value;
    for (++position_; position_ < text_.size() && text_[position_] != '"';) {
      if (text_[position_] == '\\')
        escape(value);
      else
        value += text_[position_++];
    }
    if (position_ >= text_.size()) fail_at(text_.size(), "expected '\"'");
    ++position_;
    return value;
  }

 private:
  [[noreturn]] void fail_at(size_t position, std::string_view problem) const {
    fail(Fault::usage, "{} at character {} of '{}'", problem, position + 1, printable(text_));
  }

  void escape(std::string& value) {
    constexpr std::string_view kLetters = "\"\\/bfnrt", kMeanings = "\"\\/\b\f\n\r\t";
    const size_t start = position_;
    if (start + 1 == text_.size()) fail_at(text_.size(), "expected '\"'");
    const char letter = text_[start + 1];
    if (letter == 'u') return static_cast<void>(append_utf8(value, code_point()));
    const size_t known = kLetters.find(letter);
    if (known == std::string_view::npos)
      fail_at(start, format("'\\{}' is no escape (a backslash itself is written \\\\)",
                            printable(std::string_view(&letter, 1))));
    value += kMeanings[known];
    position_ += 2;
  }

  /// Of "\u1234" at the position, which then stands behind it.
  std::uint32_t code_unit() {
    const std::string_view digits = text_.substr(std::min(position_ + 2, text_.size()), 4);
    std::uint32_t unit = 0;
    const auto [end, error] = std::from_chars(digits.begin(), digits.end(), unit, 16);
    if (error != std::errc{} || end != digits.begin() + 4) fail_at(position_, "'\\u' has not four hexadecimal digits");
    position_ += 6;
    return unit;
  }

  std::uint32_t code_point() {
    const auto is_in = [](std::uint32_t unit, std::uint32_t first) { return unit >= first && unit < first + 0x400; };
    constexpr std::uint32_t kHigh = 0xd800, kLow = 0xdc00;
    const size_t start = position_;
    const std::uint32_t first = code_unit();
    if (!is_in(first, kHigh) && !is_in(first, kLow)) return first;
    const bool pair = is_in(first, kHigh) && text_.substr(position_).starts_with("\\u");
    const std::uint32_t second = pair ? code_unit() : 0;
    if (!is_in(second, kLow)) fail_at(start, "half a pair of surrogates");
    return 0x10000 + ((first - kHigh) << 10) + (second - kLow);
  }

  std::string_view text_;
  size_t& position_;
};

}  // namespace

std::string parse_quoted(std::string_view text, size_t& position) { return QuotedParser(text, position).parse(); }

}  // namespace opref::io
