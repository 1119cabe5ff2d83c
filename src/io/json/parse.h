// SPDX-License-Identifier: Apache-2.0
// JSON texts as documents.
#pragma once

#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "io/json/tree.h"

namespace opref::io {

/// The most bytes that a document may take in memory: a value of two bytes takes 64.
inline constexpr size_t kMostDocumentBytes = size_t{1} << 30;

/// Parses UTF-8 text, with or without a byte order mark. Faults: `malformed`, with line and column (counted in bytes,
/// from 1) of what is no JSON, with the path of a key that an object has twice; nesting is at most 64 deep.
/// `unsupported` where the values take more than `most_bytes` in memory, with what readers make of them. Only for what
/// files, pipes and users say: what this process makes is a Json already.
Json parse_json(std::string_view text, size_t most_bytes = kMostDocumentBytes);

/// Fills some or all of a buffer with the next bytes and says how many; 0 at the end.
using ByteSource = std::function<size_t(std::span<char>)>;
/// The text must outlive it.
ByteSource bytes_of(std::string_view text);

/// A JSON text of any size, read once.
class JsonText {
 public:
  /// `text` must outlive it.
  explicit JsonText(std::string_view text);
  explicit JsonText(ByteSource source);
  /// Whether the document is an object, as far as its first character tells.
  bool is_object() const;

  /// The next byte; false at the end of the text.
  bool has_next() { return at_ < window_.size() || read_on(); }
  char next() const { return window_[at_]; }
  void advance() { ++at_; }

  /// "line 3, column 14" of the byte at `offset`, which is the last one that was read, or one shortly before.
  std::string place(size_t offset) const;
  size_t known_bytes() const { return begin_ + window_.size(); }
  /// What was read shortly before that.
  std::string_view before(size_t offset) const { return window_.substr(0, offset - begin_); }

 private:
  bool read_on();
  void require_no_null(size_t from) const;

  ByteSource source_;
  std::vector<char> buffer_;
  std::string_view window_;  ///< of the text, what can be read and some of what was
  size_t at_ = 0;            ///< the next byte in it
  size_t begin_ = 0;         ///< bytes before it
  size_t lines_ = 0;         ///< ends of lines among these
  size_t line_begin_ = 0;    ///< where the last of these lines begins
};

/// Takes an item of a list, and the document as far as it is read.
using TakeItem = std::function<void(const JsonValue& document, const JsonValue& item)>;
/// Parses an object whose member `list` is a long list, each item of which is handed over and then forgotten. What
/// comes back has the list's size, but none of its items. Faults are those of parse_json.
Json parse_json(JsonText& text, std::string_view list, const TakeItem& take);

}  // namespace opref::io
