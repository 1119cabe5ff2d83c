// SPDX-License-Identifier: Apache-2.0
#include "io/json/fields.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include "schema/node.h"

namespace opref::io {
namespace {

std::string_view described(JsonKind kind) {
  constexpr std::string_view kNames[] = {"null", "a boolean", "a number", "a string", "a list", "an object"};
  return kNames[static_cast<size_t>(kind)];
}

/// What other programs call a key that is among `keys`; empty where nothing is known of it.
std::string_view key_meant(std::string_view key, std::span<const std::string_view> keys) {
  constexpr auto kOthers = std::to_array<std::pair<std::string_view, std::string_view>>({
      {"op", "op_type"},
      {"operator", "op_type"},
      {"type", "op_type"},
      {"type", "dtype"},
      {"data_type", "dtype"},
      {"attrs", "attributes"},
      {"version", "opset"},
      {"expected", "expect"},
      {"values", "data"},
      {"value", "data"},
      {"dims", "shape"},
      {"path", "file"},
      {"generator", "fill"},
  });
  for (const auto& [other, own] : kOthers)
    if (other == key && std::ranges::find(keys, own) != keys.end()) return own;
  return {};
}

[[noreturn]] void unknown_key(const JsonValue& member, std::span<const std::string_view> keys) {
  const std::string_view meant = key_meant(member.key(), keys);
  const std::string hint = meant.empty() ? did_you_mean(member.key(), keys) : format(", did you mean '{}'?", meant);
  fail(Fault::malformed, hint.empty() ? WayOut(kKnownNames, join_text(keys, ", ")) : WayOut(), "unknown key {}{}",
       place(member), hint);
}

}  // namespace

std::string place(const JsonValue& value) {
  const std::string path = value.path();
  return path.empty() ? "the document" : format("'{}'", printable(path, 200));
}

void must_be(const JsonValue& value, std::string_view what) {
  const bool short_text = value.kind() == JsonKind::number || value.kind() == JsonKind::boolean;
  fail(Fault::malformed, "{} is {}, but must be {}", place(value),
       short_text ? printable(value.text()) : described(value.kind()), what);
}

void require_kind(const JsonValue& value, JsonKind kind) {
  if (value.kind() != kind) must_be(value, described(kind));
}

void require_known_keys(const JsonValue& object, std::span<const std::string_view> keys) {
  require_kind(object, JsonKind::object);
  for (const JsonValue member : object)
    if (std::ranges::find(keys, member.key()) == keys.end()) unknown_key(member, keys);
}

JsonValue required(const JsonValue& object, std::string_view key) {
  if (const auto member = object.find(key)) return *member;
  fail(Fault::malformed, "{} has no '{}'", place(object), key);
}

std::string string_of(const JsonValue& value) {
  require_kind(value, JsonKind::string);
  return std::string(value.text());
}

std::string string_or_empty(const JsonValue& object, std::string_view key) {
  const auto member = object.find(key);
  return member ? string_of(*member) : "";
}

namespace {

/// A number of which all of the text is read; nothing else.
template <class T>
std::optional<T> number_in(const JsonValue& value) {
  const std::string_view text = value.text();
  T number = 0;
  const auto [end, error] = std::from_chars(text.begin(), text.end(), number);
  const bool is_number = value.kind() == JsonKind::number && error == std::errc{} && end == text.end();
  return is_number ? std::optional(number) : std::nullopt;
}

}  // namespace

std::int64_t opset_number(const JsonValue& value) {
  const auto opset = number_in<std::int64_t>(value);
  if (!opset || *opset < 1) must_be(value, format("an integer from 1 to {}", kNewestOpset));
  return *opset;
}

std::int64_t integer_of(const JsonValue& value, std::int64_t least) {
  const auto integer = number_in<std::int64_t>(value);
  if (!integer || *integer < least) must_be(value, format("an integer from {} to {}", least, INT64_MAX));
  return *integer;
}

std::uint64_t unsigned_of(const JsonValue& value) {
  const auto integer = number_in<std::uint64_t>(value);
  if (!integer) must_be(value, format("an integer from 0 to {}", UINT64_MAX));
  return *integer;
}

double real_of(const JsonValue& value) {
  const auto real = number_in<double>(value);
  if (!real || *real < 0) must_be(value, "a number of at least 0 that fits into float64");
  return *real;
}

}  // namespace opref::io
