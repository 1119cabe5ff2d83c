// SPDX-License-Identifier: Apache-2.0
// JSON: a document that is read or built. It keeps the digits of numbers, the order of members and every value's path.
// Only tree.cpp and parse.cpp know the JSON library.
#pragma once

#include <concepts>
#include <cstdint>
#include <optional>
#include <ranges>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/tensor.h"
#include "schema/attribute.h"

namespace opref::io {

enum class JsonKind : std::uint8_t { null, boolean, number, string, list, object };

class Json;

/// One value of a document; the document must outlive it.
class JsonValue {
 public:
  class Iterator;

  JsonKind kind() const;
  bool is_container() const { return kind() == JsonKind::list || kind() == JsonKind::object; }
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
  /// As JSON, on one line.
  std::string line() const;

 private:
  friend Json;
  friend class JsonParser;
  JsonValue(const Json* document, size_t position) : document_(document), position_(position) {}

  const Json* document_;
  size_t position_;
};

/// A value that owns all that is in it. Strings may be given any bytes; what is not UTF-8 becomes U+FFFD.
class Json {
 public:
  /// An object without members.
  Json() : Json(JsonKind::object) {}
  static Json list() { return Json(JsonKind::list); }
  /// A copy.
  explicit Json(const JsonValue& value) { add(value); }

  JsonValue root() const { return {this, 0}; }

  /// Values are null (nullptr), booleans, numbers (NaN and infinities are the strings "NaN", "Inf", "-Inf"), strings,
  /// ranges of values, JSON; attributes as a case writes them (what opref keeps no content of as "(GRAPH)"); tensors as
  /// the "data" of a case, nested lists. Setting a key of an object twice replaces the value.
  template <class T>
  Json& set(std::string_view key, const T& value) {
    const size_t member = nodes_.size();
    add(key);
    add(value);
    end_member(member);
    return *this;
  }
  /// The list of f of each item.
  template <class List, class F>
  Json& set(std::string_view key, const List& items, const F& f) {
    Json list = Json::list();
    for (const auto& item : items) list.append(f(item));
    return set(key, list);
  }
  /// To a list.
  template <class T>
  Json& append(const T& value) {
    add(value);
    end_item();
    return *this;
  }

  /// Indented by two; a list without lists or objects in it stands on one line where that has at most 100 characters.
  /// Ends with a newline.
  std::string text() const;
  /// The same on one line, with the newline.
  std::string line() const { return root().line() + "\n"; }

 private:
  friend JsonValue;
  friend class JsonParser;

  /// A value or the key of a member, which stands before its value. A container's nodes follow it.
  struct Node {
    JsonKind kind;
    size_t at;    ///< where the text begins in text_; of a container, how many nodes are below it
    size_t size;  ///< bytes of the text; of a container, its items or members
  };

  explicit Json(JsonKind kind) { open(kind); }

  void add(std::nullptr_t) { push(JsonKind::null, ""); }
  void add(std::string_view text);
  void add(const char* text) { add(std::string_view(text)); }
  void add(double value);
  template <std::integral I>
  void add(I value) {
    if constexpr (std::same_as<I, bool>)
      push(JsonKind::boolean, value ? "true" : "false");
    else
      push(JsonKind::number, std::to_string(value));
  }
  template <std::ranges::forward_range List>
    requires(!std::convertible_to<const List&, std::string_view>)
  void add(const List& list) {
    const size_t position = open(JsonKind::list);
    for (const auto& item : list) add(item);
    close(position, static_cast<size_t>(std::ranges::distance(list)));
  }
  void add(const JsonValue& value);
  void add(const Json& value) { add(value.root()); }
  void add(const AttributeValue& value);
  void add(const Tensor& values);
  void add_elements(const Tensor& tensor, size_t axis, std::int64_t& next);

  void push(JsonKind kind, std::string_view text);
  size_t open(JsonKind kind);
  void close(size_t position, size_t size);
  void end_member(size_t member);
  void end_item();
  bool is_container(size_t position) const;
  size_t end_of(size_t position) const;
  size_t former_member(size_t member);

  std::vector<Node> nodes_;
  std::string text_;
  std::unordered_map<std::string, size_t> members_;  ///< of an object of many that is built, their keys' positions
  size_t searched_ = 1;                              ///< up to where these are
};

class JsonValue::Iterator {
 public:
  JsonValue operator*() const { return {document_, position_}; }
  Iterator& operator++();
  bool operator==(const Iterator& other) const { return position_ == other.position_; }

 private:
  friend JsonValue;
  Iterator(const Json* document, size_t position, size_t step)
      : document_(document), position_(position), step_(step) {}

  const Json* document_;
  size_t position_;
  size_t step_;  ///< nodes between one value's end and the next value: the key of a member
};

/// The text as JSON writes a string; invalid UTF-8 becomes U+FFFD.
std::string json_string(std::string_view text);

}  // namespace opref::io
