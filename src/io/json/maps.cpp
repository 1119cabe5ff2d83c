// SPDX-License-Identifier: Apache-2.0
#include "io/json/maps.h"

#include <array>

#include "core/error.h"
#include "core/map.h"
#include "io/json/fields.h"
#include "io/json/members.h"
#include "io/json/parse.h"
#include "io/json/tensors.h"
#include "io/literal.h"

namespace opref::io {
namespace {

/// Decimal digits as to_text writes the integer: each key has one text.
bool is_integer_text(std::string_view text) {
  const std::string_view digits = text.substr(text.starts_with('-') ? 1 : 0);
  const bool is_canonical = !digits.empty() && digits.find_first_not_of("0123456789") == std::string_view::npos;
  return is_canonical && (digits.front() != '0' || text == "0");
}

Map read_map(const JsonValue& object, const ValueType& type) {
  if (object.kind() != JsonKind::object)
    must_be(object, format("an object of keys and values, as a {} is", ValueType(Form::map, type.dtype(), type.key)));
  Literal keys{Dims{static_cast<std::int64_t>(object.size())}, {}, Fault::malformed}, values = keys;
  for (const JsonValue member : object) {
    if (type.key != DType::string && !is_integer_text(member.key()))
      fail(Fault::malformed, R"({} has a key that is no integer in decimal digits, as "-3" is)", place(member));
    keys.elements.emplace_back(member.key());
    values.elements.push_back(element_text_of(member, type.dtype()));
  }
  return malformed_at(
      object, [&] { return map_of(make_tensor(keys, type.key), make_tensor(values, type.dtype()), Fault::malformed); });
}

/// A string key itself, an integer in digits.
std::string member_name(const Tensor& keys, size_t i) {
  return keys.dtype() == DType::string ? keys.strings()[i] : key_text(keys, i);
}

}  // namespace

ValueType read_map_type(const JsonValue& text) {
  const auto type = parse_kind(string_of(text));
  if (!type || !is_of_maps(type->form))
    fail(Fault::malformed, "{} is '{}', but a map's type is written as map(string,float) or seq(map(int64,float))",
         place(text), printable(text.text()));
  return *type;
}

Value read_maps(const JsonValue& maps, const ValueType& type) {
  if (type.form == Form::map) return read_map(maps, type);
  if (maps.kind() != JsonKind::list) must_be(maps, format("a list of objects, as a {} is", type));
  MapSequence sequence{type.key, type.dtype()};
  for (const JsonValue map : maps) sequence.push_back(read_map(map, type));
  return sequence;
}

Value read_map_member(const JsonValue& value) {
  constexpr std::array<std::string_view, 2> kKeys = {"map", "type"};
  require_known_keys(value, kKeys);
  return read_maps(required(value, "map"), read_map_type(required(value, "type")));
}

Value read_map_document(std::string_view text) {
  const Json document = parse_json(text);
  const JsonValue root = document.root();
  if (!root.find("map"))
    fail(
        Fault::malformed,
        R"j(the JSON is no value: a tensor is a list, as [[1,2],[3,4]], maps are {{"map": {{"a": 1}}, "type": "map(string,int64)"}})j");
  return read_map_member(root);
}

bool is_map_document(std::string_view text) {
  bool is_value = false;
  each_member(text, [&](const JsonMember& member) {
    is_value = member.depth == 1 && member.key == "map";
    return !is_value;
  });
  return is_value;
}

Value parse_maps(std::string_view text, const ValueType& type) {
  try {
    const Json document = parse_json(text);
    return read_maps(document.root(), type);
  } catch (const Error& error) {
    if (error.fault() != Fault::malformed) throw;
    fail(Fault::usage, "'{}' is no {}: {}", printable(text), type, error.message());
  }
}

Json map_json(const Map& map) {
  Json object;
  for (size_t i = 0; i < static_cast<size_t>(map.keys.count()); ++i)
    object.set(member_name(map.keys, i), taken(map.values, std::array{i}).reshaped({}));
  return object;
}

Json map_member_json(const Value& maps) {
  Json json;
  if (const auto* map = std::get_if<Map>(&maps)) {
    json.set("map", map_json(*map));
  } else {
    const auto& sequence = std::get<MapSequence>(maps);
    Json list = Json::list();
    for (size_t i = 0; i < sequence.size(); ++i) list.append(map_json(sequence[i]));
    json.set("map", list);
  }
  return std::move(json.set("type", to_text(type_of(maps))));
}

}  // namespace opref::io
