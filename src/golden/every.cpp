// SPDX-License-Identifier: Apache-2.0
#include "golden/every.h"

#include "core/error.h"
#include "io/json/fields.h"
#include "schema/node.h"

namespace opref::golden {
namespace {

bool is_every(const std::optional<JsonValue>& value) {
  return value && value->kind() == JsonKind::string && value->text() == "every";
}

Json every_opset(const Operator& op) {
  std::vector<std::int64_t> opsets;
  for (const OpSchema& schema : op.versions()) opsets.push_back(schema.since_version());
  return Json().set("each", opsets);
}

/// What an input states the type of its elements in: an optional one in its element, a map in its values.
JsonValue with_dtype(const JsonValue& input) {
  if (const auto values = stated(input, "values"); values && values->kind() == JsonKind::object) return *values;
  const auto element = stated(input, "optional");
  return element && element->kind() == JsonKind::object ? *element : input;
}

Form form_of(const JsonValue& input) {
  if (input.find("keys")) return Form::map;
  const bool is_sequence = with_dtype(input).find("sequence").has_value();
  if (input.find("optional")) return is_sequence ? Form::optional_sequence : Form::optional;
  return is_sequence ? Form::sequence : Form::tensor;
}

/// Of a map's keys; of others what ValueType has.
DType key_of(const JsonValue& input) {
  const auto keys = stated(input, "keys"), dtype = keys ? stated(*keys, "dtype") : std::nullopt;
  return dtype && dtype->kind() == JsonKind::string ? parse_dtype(dtype->text()) : DType::int64;
}

Json every_dtype(const Operator& op, std::string_view name_of_input, const JsonValue& input) {
  Types types;
  for (const OpSchema& schema : op.versions())
    if (const FormalParameter* formal = named(schema.inputs(), name_of_input)) types = types | schema.types_of(*formal);
  const std::vector<DType> dtypes = types.dtypes(form_of(input), key_of(input));
  if (dtypes.empty())
    fail(Fault::malformed, "{} is \"every\", but no version of {} has such types for an input '{}'",
         place(required(with_dtype(input), "dtype")), op.op_type(), printable(name_of_input));
  std::vector<std::string_view> names;
  for (const DType dtype : dtypes) names.push_back(name(dtype));
  return Json().set("each", names);
}

Json with_types(const Operator& op, std::string_view name_of_input, const JsonValue& input) {
  Json tensor(with_dtype(input));
  tensor.set("dtype", every_dtype(op, name_of_input, input));
  if (const auto keys = input.find("keys")) return Json().set("keys", *keys).set("values", tensor);
  return input.find("optional") ? Json().set("optional", tensor) : tensor;
}

}  // namespace

const Operator& operator_of(const JsonValue& recipe) {
  return get_operator(canonical_domain(string_or_empty(recipe, "domain")), string_of(required(recipe, "op_type")));
}

std::optional<JsonValue> stated(const JsonValue& object, std::string_view key) {
  const auto value = object.kind() == JsonKind::object ? object.find(key) : std::nullopt;
  return value && value->kind() != JsonKind::null ? value : std::nullopt;
}

const OpSchema* version_at(const Operator& op, std::int64_t opset) {
  return opset < op.versions().front().since_version() ? nullptr : &op.schema_for(opset);
}

const OpSchema* version_of(const Operator& op, const JsonValue& combination) {
  const auto opset = stated(combination, "opset");
  return opset ? version_at(op, opset_number(*opset)) : &op.versions().back();
}

bool takes(const OpSchema& schema, const FormalParameter& input, const JsonValue& value) {
  if (value.kind() == JsonKind::list) {
    for (const JsonValue tensor : value)
      if (!takes(schema, input, tensor)) return false;
    return true;
  }
  const auto dtype = stated(with_dtype(value), "dtype");
  return !dtype || schema.types_of(input).contains(parse_dtype(string_of(*dtype)), form_of(value), key_of(value));
}

Every::Every(const JsonValue& recipe) {
  for (const JsonValue member : recipe)
    if (member.key() != "where") recipe_.set(member.key(), member);
  if (is_every(recipe.find("opset"))) recipe_.set("opset", every_opset(operator_of(recipe)));
  const auto inputs = recipe.find("inputs");
  if (!inputs || inputs->kind() != JsonKind::object) return;
  Json all;
  for (const JsonValue input : *inputs) {
    bool has_every = false;
    const auto resolved = [&](const JsonValue& tensor) {
      if (!is_every(stated(with_dtype(tensor), "dtype"))) return Json(tensor);
      has_every = true;
      return with_types(operator_of(recipe), input.key(), tensor);
    };
    if (input.kind() == JsonKind::list) {
      Json list = Json::list();
      for (const JsonValue tensor : input) list.append(resolved(tensor));
      all.set(input.key(), list);
    } else {
      all.set(input.key(), resolved(input));
    }
    if (has_every) inputs_.emplace_back(input.key());
  }
  if (!inputs_.empty()) recipe_.set("inputs", all);
}

bool Every::drops(const JsonValue& combination) const {
  if (inputs_.empty()) return false;
  const OpSchema* schema = version_of(operator_of(combination), combination);
  return schema != nullptr && std::ranges::any_of(inputs_, [&](const std::string& name) {
           const FormalParameter* input = named(schema->inputs(), name);
           return input != nullptr && !takes(*schema, *input, required(required(combination, "inputs"), name));
         });
}

}  // namespace opref::golden
