// SPDX-License-Identifier: Apache-2.0
#include "io/json/stream.h"

#include <algorithm>
#include <utility>

#include "core/error.h"

namespace opref::io {
namespace {

constexpr int kEnd = -1;

bool is_space(int c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }

}  // namespace

ByteSource bytes_of(std::string_view text) {
  return [text](std::span<char> to) mutable {
    const size_t count = std::min(to.size(), text.size());
    std::ranges::copy(text.substr(0, count), to.begin());
    text.remove_prefix(count);
    return count;
  };
}

JsonStream::JsonStream(ByteSource source, std::string_view list)
    : source_(std::move(source)), list_(list), buffer_(size_t{64} << 10) {}

int JsonStream::peek() {
  if (at_ == end_) {
    at_ = 0;
    end_ = source_(buffer_);
  }
  return at_ == end_ ? kEnd : static_cast<unsigned char>(buffer_[at_]);
}

char JsonStream::take() {
  if (peek() == kEnd) refuse("the text ends too early");
  const char c = buffer_[at_++];
  if (c == '\n') {
    ++line_;
    column_ = 0;
  } else {
    ++column_;
  }
  return c;
}

void JsonStream::skip_space() {
  while (is_space(peek())) take();
}

void JsonStream::refuse(std::string_view what) const {
  fail(Fault::malformed, "line {}, column {}: {}", line_ + 1, column_ + 1, what);
}

void JsonStream::expect(char wanted) {
  if (peek() != kEnd && peek() != static_cast<unsigned char>(wanted))
    refuse(format("'{}' is expected", std::string(1, wanted)));
  take();
}

void JsonStream::take_string(std::string& text) {
  for (bool ends = false, is_first = true; !ends; is_first = false) {
    text += take();
    ends = !is_first && text.back() == '"';
    if (text.back() == '\\') text += take();
  }
}

void JsonStream::take_value(std::string& text) {
  size_t depth = 0;
  do {
    const int c = peek();
    if (c == '"') {
      take_string(text);
      continue;
    }
    if (c == '{' || c == '[') ++depth;
    if (c == '}' || c == ']') {
      if (depth == 0) refuse("a value is expected");
      --depth;
    }
    text += take();
    if (depth > 0 || c == '}' || c == ']') continue;
    while (peek() != kEnd && !is_space(peek()) &&
           std::string_view(",:]}{[\"").find(static_cast<char>(peek())) == std::string_view::npos)
      text += take();
  } while (depth > 0);
}

bool JsonStream::is_object() {
  if (state_ != State::begin) return true;
  for (const char mark : std::string_view("\xef\xbb\xbf"))
    if (peek() == static_cast<unsigned char>(mark)) take();
  skip_space();
  return peek() == '{';
}

bool JsonStream::next_item(Part& part) {
  skip_space();
  if (peek() == ']') {
    take();
    state_ = State::members;
    is_first_ = false;
    return next_member(part);
  }
  if (!std::exchange(is_first_, false)) expect(',');
  skip_space();
  part = {list_, true, "", {format("{}[{}]", list_, index_++), line_, column_}};
  take_value(part.text);
  return true;
}

bool JsonStream::next_member(Part& part) {
  skip_space();
  if (peek() == '}') {
    take();
    skip_space();
    if (peek() != kEnd) refuse("the document has ended, but text follows");
    state_ = State::end;
    return false;
  }
  if (!std::exchange(is_first_, false)) expect(',');
  skip_space();
  if (peek() != '"') refuse("a key is expected");
  const JsonOrigin origin{{}, line_, column_};
  std::string key;
  take_string(key);
  const JsonDocument parsed = parse_json(key, kMostDocumentBytes, origin);
  key = parsed.root().text();
  if (std::ranges::count(keys_, key) > 0) fail(Fault::malformed, "the key '{}' is there twice", printable(key));
  keys_.push_back(key);
  skip_space();
  expect(':');
  skip_space();
  if (key == list_ && peek() == '[') {
    take();
    state_ = State::items;
    is_first_ = true;
    return next_item(part);
  }
  part = {key, false, "", {printable(key), line_, column_}};
  take_value(part.text);
  return true;
}

bool JsonStream::next(Part& part) {
  if (state_ == State::begin) {
    is_object();
    expect('{');
    state_ = State::members;
  }
  if (state_ == State::end) return false;
  return state_ == State::items ? next_item(part) : next_member(part);
}

}  // namespace opref::io
