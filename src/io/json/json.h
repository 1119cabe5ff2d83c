// SPDX-License-Identifier: Apache-2.0
// JSON: cases, and the documents that --json and reports write. Only json.cpp knows the JSON library.
#pragma once

#include <concepts>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "core/value_type.h"
#include "io/case.h"

namespace opref::io {

class JsonDocument;
class JsonValue;

/// Whether a document is ONNX's protobuf-JSON rather than a case: it has `graph`, `opType`, or an array `input` or
/// `attribute`.
bool is_onnx_json(const JsonDocument& document);

/// A JSON case: its graph is one node whose attributes are `Untyped`, or tensors, and whose inputs and outputs are the
/// names of "inputs" and "expect", in the file's order. Files are relative to `folder`; none is opened. Unknown keys
/// are `malformed` errors that offer the nearest key; so are values of the wrong kind, with their path
/// ("inputs.X.dtype"). `opset` is the one of a list of opsets that the case is for; without it, the file says one.
Case read_json_case(const JsonValue& document, std::optional<std::int64_t> opset, const std::filesystem::path& folder);

/// The object of "expect_error", as in the file expect_error.json of a case folder.
ExpectedError read_expected_error(std::string_view text);

class JsonWriter;
/// {"dtype": "float32", "shape": [1,3]}, without the shape where values decide it; {"form": "sequence", "dtype": …}.
JsonWriter type_json(const ValueType& type);

/// Builds a JSON document: objects keep the order in which their members were set. Strings may hold any bytes; what is
/// not UTF-8 becomes U+FFFD.
class JsonWriter {
 public:
  JsonWriter();
  ~JsonWriter();
  JsonWriter(JsonWriter&&) noexcept;
  JsonWriter& operator=(JsonWriter&&) noexcept;

  // Objects. Setting a key twice replaces it.
  JsonWriter& set(std::string_view key, std::string_view value);
  JsonWriter& set(std::string_view key, const char* value) { return set(key, std::string_view(value)); }
  JsonWriter& set(std::string_view key, const std::string& value) { return set(key, std::string_view(value)); }
  JsonWriter& set(std::string_view key, std::int64_t value);
  JsonWriter& set(std::string_view key, std::uint64_t value);
  template <std::integral I>
  JsonWriter& set(std::string_view key, I value) {
    return set(key, static_cast<std::int64_t>(value));
  }
  JsonWriter& set(std::string_view key, bool value);
  JsonWriter& set(std::string_view key, double value);  ///< NaN and infinities as "NaN", "Inf", "-Inf"
  JsonWriter& set(std::string_view key, const Dims& value) { return set(key, std::span(value.begin(), value.size())); }
  JsonWriter& set(std::string_view key, std::span<const std::int64_t> values);
  JsonWriter& set(std::string_view key, std::span<const std::uint64_t> values);
  JsonWriter& set(std::string_view key, std::span<const std::string> values);
  JsonWriter& set(std::string_view key, JsonWriter value);
  JsonWriter& set_null(std::string_view key);
  /// The attribute's value as a case would write it; a tensor as {"dtype", "shape", "data"}, what opref keeps no
  /// content of as the string "(GRAPH)".
  JsonWriter& set(std::string_view key, const AttributeValue& value);
  /// Nested lists of the elements, as the "data" of a case; [] where there are none.
  JsonWriter& set(std::string_view key, const Tensor& values);
  /// A copy; numbers keep their digits.
  JsonWriter& set(std::string_view key, const JsonValue& value);
  // Lists.
  JsonWriter& append(std::string_view value);
  JsonWriter& append(const Dims& value);
  JsonWriter& append(JsonWriter value);
  JsonWriter& append(const JsonValue& value);
  /// What `nested` wrote.
  JsonWriter& append_nested(std::string_view written);
  static JsonWriter list();

  /// Indented by two; a list without lists or objects in it stands on one line where that has at most 100 characters.
  /// Ends with a newline.
  std::string text() const;
  /// As it stands in text(), `depth` lists and objects deep: for documents of many items that are written apart.
  std::string nested(size_t depth) const;
  /// The same on one line, with the newline.
  std::string line() const;

 private:
  struct Content;
  std::unique_ptr<Content> content_;
};

}  // namespace opref::io
