// SPDX-License-Identifier: Apache-2.0
#include "golden/case_name.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "core/error.h"
#include "golden/every.h"
#include "io/json/fields.h"
#include "io/sha256.h"
#include "schema/node.h"

namespace opref::golden {
namespace {

/// Lower case with what is not [a-z0-9._] left out; a minus is m.
std::string plain(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c >= 'A' && c <= 'Z')
      out += static_cast<char>(c - 'A' + 'a');
    else if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '.' || c == '_')
      out += c;
    else if (c == '-')
      out += 'm';
  }
  return out;
}

/// "3" of 3 and of [3, 3], "3x2" of [3, 2], "1x1x3x2" of nested lists; the members of a tensor, the name of a graph.
void collect(const JsonValue& value, std::vector<std::string>& items) {
  const bool has_items = value.kind() == JsonKind::list || value.kind() == JsonKind::object;
  if (!has_items) return items.push_back(plain(value.text().substr(0, value.text().find('('))));
  for (const JsonValue item : value) collect(item, items);
}

std::string value_text(const JsonValue& value, Detail detail) {
  std::vector<std::string> items;
  collect(value, items);
  const bool alike = detail == Detail::usual && !items.empty() &&
                     std::ranges::all_of(items, [&](const std::string& i) { return i == items[0]; });
  return alike ? items[0] : join_text(items, "x");
}

std::optional<std::string_view> short_name(const Operator* op, std::string_view name) {
  return op == nullptr ? std::nullopt : op->short_name(name);
}

std::string attribute_part(const JsonValue& attribute, const Operator* op, Detail detail) {
  const std::string_view key = attribute.key();
  const std::string value = value_text(attribute, detail);
  if (const auto both = short_name(op, format("{}={}", key, value))) return std::string(*both);
  const auto known = short_name(op, key);
  const std::string name = known ? std::string(*known) : plain(snake_case(key)) + "-";
  return name + (value.empty() ? "none" : value);
}

std::string_view short_type(const JsonValue& dtype) {
  const auto known = dtype_meant(dtype.text());
  return known && !info(*known).openvino.empty() ? info(*known).openvino : dtype.text();
}

/// Calls f(parameter, tensor) for each input: those of a variadic parameter's list one after another.
template <class F>
void for_each_input(const JsonValue& inputs, const F& f) {
  for (const JsonValue input : inputs) {
    if (input.kind() != JsonKind::list) {
      f(input.key(), input);
      continue;
    }
    for (const JsonValue tensor : input) f(input.key(), tensor);
  }
}

std::string_view text_of(const JsonValue& object, std::string_view key) {
  const auto member = object.kind() == JsonKind::object ? object.find(key) : std::nullopt;
  return member ? member->text() : std::string_view();
}

/// A map's values are what it is named by.
JsonValue named_by(const JsonValue& input) {
  const auto values = input.kind() == JsonKind::object && input.find("keys") ? input.find("values") : std::nullopt;
  return values ? *values : input;
}

const OpSchema* schema_of(const Operator* op, std::int64_t opset) {
  return op == nullptr ? nullptr : version_at(*op, opset);
}

const FormalParameter* formal_of(const OpSchema* schema, std::string_view input) {
  return schema == nullptr ? nullptr : named(schema->inputs(), input);
}

/// Optional inputs by their names and values.
void add_optional(const JsonValue& inputs, const Operator* op, std::int64_t opset, std::vector<std::string>& parts) {
  for (const JsonValue input : inputs) {
    const FormalParameter* formal = formal_of(schema_of(op, opset), input.key());
    if (input.kind() == JsonKind::null || formal == nullptr || formal->arity != Arity::optional) continue;
    const auto data = input.kind() == JsonKind::object ? input.find("data") : std::nullopt;
    std::string part(short_name(op, input.key()).value_or(plain(input.key())));
    if (data) part += value_text(*data, Detail::shapes);
    const std::string_view dtype = text_of(input, "dtype");
    if (data && !dtype.empty() && dtype != "int64") part += "-" + plain(dtype);
    parts.push_back(part);
  }
}

/// Generators other than the usual.
void add_generators(const JsonValue& inputs, const Operator* op, std::vector<std::string>& parts) {
  for_each_input(inputs, [&](std::string_view, const JsonValue& input) {
    const std::string_view fill = text_of(named_by(input), "fill");
    if (fill.empty() || fill == "normal") return;
    const std::string part(short_name(op, fill).value_or(plain(fill)));
    if (!part.empty() && std::ranges::find(parts, part) == parts.end()) parts.push_back(part);
  });
}

void add_first_input(const JsonValue& inputs, std::vector<std::string>& parts) {
  if (inputs.size() == 0) return;
  JsonValue first = *inputs.begin();
  if (first.kind() == JsonKind::list && first.size() > 0) first = *first.begin();
  if (first.kind() != JsonKind::object) return;
  if (const auto element = first.find("optional"); element && element->kind() == JsonKind::object) first = *element;
  if (const auto keys = first.find("keys"))
    if (const auto key = text_of(*keys, "dtype"); !key.empty()) parts.push_back(plain(key));
  first = named_by(first);
  if (const auto dtype = first.find("dtype")) parts.push_back(plain(short_type(*dtype)));
  if (const auto shape = first.find("shape"); shape && shape->kind() == JsonKind::list)
    parts.push_back(shape->size() > 2 ? format("{}d", shape->size() - 2) : format("r{}", shape->size()));
}

/// Whether the input's type is a choice of its own, beside that of the first input.
bool has_own_type(const OpSchema* schema, std::string_view name) {
  const FormalParameter* formal = formal_of(schema, name);
  return formal != nullptr && formal->type != schema->inputs().front().type &&
         schema->types_of(*formal).dtypes().size() > 1;
}

void add_shapes(const JsonValue& inputs, const OpSchema* schema, std::vector<std::string>& parts) {
  for_each_input(inputs, [&](std::string_view name, const JsonValue& stated) {
    if (const auto keys = stated.find("keys"))
      if (const auto data = keys->kind() == JsonKind::object ? keys->find("data") : std::nullopt)
        parts.push_back(plain(name) + "-keys-" + value_text(*data, Detail::shapes));
    const JsonValue input = named_by(stated);
    auto sizes = input.find("shape");
    if (!sizes) sizes = input.find("data");
    if (!sizes) return;
    std::vector<std::string> items;
    collect(*sizes, items);
    std::string part = plain(name) + join_text(items, "x");
    if (const auto dtype = input.find("dtype"); dtype && has_own_type(schema, name))
      part += "-" + plain(short_type(*dtype));
    parts.push_back(part);
  });
}

/// How many tensors variadic inputs have, and how many outputs are stated.
void add_counts(const JsonValue& combination, const JsonValue& inputs, std::vector<std::string>& parts) {
  for (const JsonValue input : inputs) {
    size_t present = 0;
    if (input.kind() != JsonKind::list) continue;
    for (const JsonValue tensor : input) present += tensor.kind() != JsonKind::null;
    parts.push_back(format("in{}", present));
  }
  if (const auto outputs = combination.find("outputs")) parts.push_back(format("out{}", outputs->size()));
}

}  // namespace

std::string case_name(const JsonValue& combination, std::int64_t opset, Detail detail) {
  if (const auto stated = combination.find("opset")) opset = opset_number(*stated);
  std::vector<std::string> parts;
  const std::string_view domain = canonical_domain(text_of(combination, "domain"));
  if (!domain.empty()) parts.push_back(plain(domain));
  parts.push_back(plain(snake_case(string_of(required(combination, "op_type")))));
  parts.push_back(std::to_string(opset));
  const Operator* op = find_operator(canonical_domain(text_of(combination, "domain")), text_of(combination, "op_type"));
  const auto inputs = combination.find("inputs"), attributes = combination.find("attributes");
  if (inputs) {
    require_kind(*inputs, JsonKind::object);
    add_first_input(*inputs, parts);
  }
  if (attributes) {
    require_kind(*attributes, JsonKind::object);
    for (const JsonValue attribute : *attributes)
      if (attribute.kind() != JsonKind::null) parts.push_back(attribute_part(attribute, op, detail));
  }
  if (inputs) {
    add_counts(combination, *inputs, parts);
    add_optional(*inputs, op, opset, parts);
    add_generators(*inputs, op, parts);
    if (detail == Detail::shapes) add_shapes(*inputs, schema_of(op, opset), parts);
  }
  if (const std::string name = plain(text_of(combination, "name")); !name.empty()) parts.push_back(name);
  if (const auto readings = combination.find("readings"); readings && readings->kind() == JsonKind::object)
    for (const JsonValue reading : *readings)
      if (reading.kind() != JsonKind::null)
        parts.push_back(plain(reading.key().substr(reading.key().rfind('.') + 1)) + "-" + plain(reading.text()));
  // A folder's name has at most 255 bytes.
  constexpr size_t kMost = 200, kHash = 12;
  const std::string name = join_text(parts, "_");
  if (name.size() <= kMost) return name;
  return format("{}-{}", name.substr(0, kMost - kHash - 1), sha256(std::as_bytes(std::span(name))).substr(0, kHash));
}

}  // namespace opref::golden
