// SPDX-License-Identifier: Apache-2.0
// JSON text as a tree that keeps what the readers need: the digits of numbers, the order of members, every value's
// path.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/rooms.h"

namespace opref::io {

enum class JsonKind : std::uint8_t { null, boolean, number, string, list, object };

class JsonDocument;

/// One value of a document; the document must outlive it.
class JsonValue {
 public:
  class Iterator;

  JsonKind kind() const;
  /// Of a number or boolean the text as written ("1.50", "-0", "true"), of a string its content, else empty.
  std::string_view text() const;
  /// Items of a list, members of an object.
  size_t size() const;
  /// The items of a list or the values of an object's members, in the document's order.
  Iterator begin() const;
  Iterator end() const;
  /// The name under which an object has this value; only of a member.
  std::string_view key() const;
  /// The member of an object.
  std::optional<JsonValue> find(std::string_view key) const;
  /// Where the value is: "inputs.X.data[0]"; empty for the whole document. Made for messages: takes time.
  std::string path() const;

 private:
  friend JsonDocument;
  friend class JsonTreeBuilder;
  JsonValue(const JsonDocument* document, size_t position) : document_(document), position_(position) {}

  const JsonDocument* document_;
  size_t position_;
};

class JsonDocument {
 public:
  JsonValue root() const { return {this, 0}; }

 private:
  friend JsonValue;
  friend class JsonTreeBuilder;

  /// A value or the key of a member, which stands before its value. A container's nodes follow it, up to `end`.
  struct Node {
    JsonKind kind;
    size_t text;  ///< where the text begins in text_
    size_t size;  ///< bytes of the text, or items of a container
    size_t end;   ///< the position after the last node below this one
  };

  std::vector<Node> nodes_;
  std::string text_;
  std::string path_;  ///< of the root
};

class JsonValue::Iterator {
 public:
  JsonValue operator*() const { return {document_, position_}; }
  Iterator& operator++();
  bool operator==(const Iterator& other) const { return position_ == other.position_; }

 private:
  friend JsonValue;
  Iterator(const JsonDocument* document, size_t position, size_t step)
      : document_(document), position_(position), step_(step) {}

  const JsonDocument* document_;
  size_t position_;
  size_t step_;  ///< nodes between one value's end and the next value: the key of a member
};

/// The most bytes that a document may take in memory: a value of two bytes takes 64.
inline constexpr size_t kMostDocumentBytes = size_t{1} << 30;

/// Where a text stands in a larger document: for messages.
struct JsonOrigin {
  std::string path = {};          ///< "cases[3]"
  size_t lines = 0, columns = 0;  ///< before it; columns of its first line
};

/// Parses UTF-8 text, with or without a byte order mark. Faults: `malformed`, with line and column (counted in bytes,
/// from 1) of what is no JSON, with the path of a key that an object has twice; nesting is at most 64 deep.
/// `unsupported` where the values take more than `most_bytes` in memory, with what readers make of them.
JsonDocument parse_json(std::string_view text, size_t most_bytes = kMostDocumentBytes, const JsonOrigin& origin = {});

/// The text as JSON writes a string; invalid UTF-8 becomes U+FFFD.
std::string json_string(std::string_view text);
/// Whether the text is a document, however deep.
bool is_json(std::string_view text);

}  // namespace opref::io
