// SPDX-License-Identifier: Apache-2.0
// What readers of JSON documents ask of members. What is missing, unknown or of the wrong kind is a `malformed` error
// that names its path.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "core/error.h"
#include "io/json/tree.h"

namespace opref::io {

/// "'inputs.X.dtype'", "the document".
std::string place(const JsonValue& value);
[[noreturn]] void must_be(const JsonValue& value, std::string_view what);
void require_kind(const JsonValue& value, JsonKind kind);
/// An object without other keys; the error offers the one that is meant, the nearest one, or says which there are.
void require_known_keys(const JsonValue& object, std::span<const std::string_view> keys);
JsonValue required(const JsonValue& object, std::string_view key);

std::string string_of(const JsonValue& value);
std::string string_or_empty(const JsonValue& object, std::string_view key);
/// An integer of at least `least` that fits into 64 bits.
std::int64_t integer_of(const JsonValue& value, std::int64_t least);
/// An integer of at least 1; the error says that opsets end at kNewestOpset, which is for the operators to refuse.
std::int64_t opset_number(const JsonValue& value);
/// An integer of at least 0 that fits into 64 bits without a sign.
std::uint64_t unsigned_of(const JsonValue& value);
/// A number of at least 0 that fits into a float64.
double real_of(const JsonValue& value);

/// What `read` returns; an error of its own becomes a `malformed` one of this place.
template <class Read>
auto malformed_at(const JsonValue& value, const Read& read) {
  try {
    return read();
  } catch (const Error& error) {
    fail(Fault::malformed, "{}: {}", place(value), error.message());
  }
}

}  // namespace opref::io
