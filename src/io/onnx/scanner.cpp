// SPDX-License-Identifier: Apache-2.0
#include "io/onnx/scanner.h"

#include <algorithm>
#include <charconv>

namespace opref::io {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '_'; }

}  // namespace

bool is_special_number(std::string_view word) {
  std::string lower(word);
  for (char& c : lower)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return lower == "inf" || lower == "infinity" || lower == "nan";
}

char OnnxScanner::peek() { return at(position()); }

bool OnnxScanner::at_end() { return position() == text_.size(); }

size_t OnnxScanner::position() {
  constexpr std::string_view kSpace = " \t\n\r\v\f";
  for (;;) {
    next_ = std::min(text_.find_first_not_of(kSpace, next_), text_.size());
    if (at(next_) != '#') return next_;
    next_ = std::min(text_.find('\n', next_), text_.size());
  }
}

bool OnnxScanner::take(std::string_view token) {
  if (!text_.substr(position()).starts_with(token)) return false;
  next_ += token.size();
  return true;
}

void OnnxScanner::expect(std::string_view token) {
  if (!take(token)) fail_expected(format("'{}'", token));
}

std::string OnnxScanner::optional_identifier() {
  const size_t start = position();
  if (is_letter(at(next_)))
    while (is_letter(at(next_)) || is_digit(at(next_))) ++next_;
  return std::string(text_.substr(start, next_ - start));
}

std::string OnnxScanner::identifier(std::string_view noun) {
  std::string word = optional_identifier();
  if (word.empty()) fail_expected(noun);
  return word;
}

std::string OnnxScanner::quoted(std::string_view noun) {
  const size_t start = position();
  if (!take("\"")) fail_expected(noun);
  std::string value;
  for (; next_ < text_.size() && text_[next_] != '"'; ++next_) {
    if (text_[next_] == '\\' && next_ + 1 < text_.size()) ++next_;
    value += text_[next_];
  }
  if (next_ == text_.size()) fail_at(start, "the quotation mark has no partner");
  ++next_;
  return value;
}

std::string OnnxScanner::name(std::string_view noun) { return peek() == '"' ? quoted(noun) : identifier(noun); }

void OnnxScanner::skip_digits() {
  while (is_digit(at(next_))) ++next_;
}

std::string OnnxScanner::number() {
  const size_t start = position();
  const auto not_a_number = [&] { fail_at(start, "a number expected"); };
  if (at(next_) == '-' || at(next_) == '+') ++next_;
  if (is_letter(at(next_))) {
    if (!is_special_number(optional_identifier())) not_a_number();
    return std::string(text_.substr(start, next_ - start));
  }
  const size_t whole = next_;
  skip_digits();
  size_t digits = next_ - whole;
  if (at(next_) == '.') {
    const size_t fraction = ++next_;
    skip_digits();
    digits += next_ - fraction;
  }
  if (digits == 0) not_a_number();
  if (at(next_) == 'e' || at(next_) == 'E') {
    ++next_;
    if (at(next_) == '-' || at(next_) == '+') ++next_;
    if (!is_digit(at(next_))) not_a_number();
    skip_digits();
  }
  if (is_letter(at(next_)) || at(next_) == '.') not_a_number();
  return std::string(text_.substr(start, next_ - start));
}

std::int64_t OnnxScanner::whole_number(std::string_view noun) {
  const size_t start = position();
  const char first = at(next_);
  if (first != '-' && first != '+' && !is_digit(first)) fail_expected(noun);
  const std::string word = number();
  std::int64_t value = 0;
  const char* const begin = word.data() + word.starts_with('+');
  const auto [end, error] = std::from_chars(begin, word.data() + word.size(), value);
  if (error == std::errc::result_out_of_range) fail_at(start, format("{} of 64 bits expected", noun));
  if (error != std::errc{} || end != word.data() + word.size()) fail_at(start, format("{} expected", noun));
  return value;
}

void OnnxScanner::fail_expected(std::string_view noun) { fail_at(position(), format("{} expected", noun)); }

void OnnxScanner::fail_at(size_t position, std::string_view what, Fault fault) const {
  if (position == text_.size()) fail(fault, "ONNX text: {} at the end", what);
  const std::string_view before = text_.substr(0, position);
  const size_t line_start = before.rfind('\n') + 1;  // npos + 1 is 0
  std::string line;
  if (text_.find('\n') != std::string_view::npos) line = format("line {}, ", std::ranges::count(before, '\n') + 1);
  fail(fault, "ONNX text: {} at {}position {}: '{}'", what, line, position - line_start + 1,
       printable(text_.substr(position), 40));
}

}  // namespace opref::io
