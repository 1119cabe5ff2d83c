// SPDX-License-Identifier: Apache-2.0
// Attribute values: as a file states them, and as a schema types them.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/alternatives.h"
#include "core/error.h"
#include "core/value_type.h"

namespace opref::schema {

struct Graph;

/// The values are those of ONNX's AttributeProto.AttributeType.
enum class AttributeType : std::uint8_t {
  FLOAT = 1,
  INT,
  STRING,
  TENSOR,
  GRAPH,
  FLOATS,
  INTS,
  STRINGS,
  TENSORS,
  GRAPHS,
  SPARSE_TENSOR,
  SPARSE_TENSORS,
  TYPE_PROTO,
  TYPE_PROTOS
};

std::string_view name(AttributeType type);
std::string to_text(AttributeType type);

/// One item of a list whose type only the schema knows: "3", "1.5", "SAME_UPPER". Quoted ones are strings.
struct UntypedItem {
  std::string text;
  bool quoted = false;
};
/// An attribute from JSON, ONNX text, -a or XML: coerced by the schema.
struct Untyped {
  std::vector<UntypedItem> items;
  bool is_list = false;
};
/// A value that opref keeps no content of (GRAPHS, TYPE_PROTOS …); its type is known.
struct Opaque {
  std::shared_ptr<const Error> why = {};  ///< of a value that opref would keep, had it been readable
};
/// Elements that are not zero, and where they are: flat positions [n] or coordinates [n, rank], int64, ascending.
struct SparseTensor {
  Tensor values, indices;
  Dims shape;
};

using AttributeContent =
    Alternatives<std::int64_t, float, std::string, std::vector<std::int64_t>, std::vector<float>,
                 std::vector<std::string>, Tensor, SparseTensor, ValueType, std::shared_ptr<const Graph>, Opaque>;

/// A value with its type.
struct AttributeValue {
  AttributeType type;
  AttributeContent value;

  static AttributeValue of(std::int64_t value) { return {AttributeType::INT, value}; }
  static AttributeValue of(float value) { return {AttributeType::FLOAT, value}; }
  static AttributeValue of(std::string value) { return {AttributeType::STRING, std::move(value)}; }
  static AttributeValue of(std::vector<std::int64_t> value) { return {AttributeType::INTS, std::move(value)}; }
  static AttributeValue of(std::vector<float> value) { return {AttributeType::FLOATS, std::move(value)}; }
  static AttributeValue of(std::vector<std::string> value) { return {AttributeType::STRINGS, std::move(value)}; }
};

/// "2", "1.7000000476837158" (a FLOAT in full), "SAME_UPPER", "[3,3]", "(graph)", a type as "sequence of float32".
std::string to_text(const AttributeValue& value);

/// An attribute of a node, as a file states it.
struct Attribute {
  std::string name;
  Alternatives<AttributeValue, Untyped> value;
};

/// `untyped` as a value of `type`: a FLOAT is the nearest float32 of the decimal, an INT refuses fractions and what
/// does not fit into 64 bits, a single item is a list of one. Faults are `invalid` and name the attribute.
AttributeValue coerce(std::string_view attribute, const Untyped& untyped, AttributeType type);

/// "3,3" or "3, 3" as the list of its items, a text without a comma as a single item; blank text is the empty list.
Untyped split_items(std::string_view text);

/// OpenVINO writes every attribute as text, a list as "2,2" or "2, 2": where `type` is no STRING, one quoted text is
/// the list of its items, none of them quoted. Anything else is returned as it is.
Untyped split_text(const Untyped& untyped, AttributeType type);

}  // namespace opref::schema

extern template struct opref::core::Alternatives<std::int64_t, float, std::string, std::vector<std::int64_t>,
                                                 std::vector<float>, std::vector<std::string>, opref::core::Tensor,
                                                 opref::schema::SparseTensor, opref::core::ValueType,
                                                 std::shared_ptr<const opref::schema::Graph>, opref::schema::Opaque>;
extern template struct opref::core::Alternatives<opref::schema::AttributeValue, opref::schema::Untyped>;
