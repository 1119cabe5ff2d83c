// SPDX-License-Identifier: Apache-2.0
#include "golden/every.h"

#include <algorithm>

#include "core/error.h"
#include "io/json/fields.h"
#include "io/json/json.h"

namespace opref::golden {
namespace {

constexpr std::string_view kEvery = "every";

bool is_every(const std::optional<JsonValue>& value) {
  return value && value->kind() == JsonKind::string && value->text() == kEvery;
}

const Operator& operator_of(const JsonValue& recipe) {
  return get_operator(canonical_domain(string_or_empty(recipe, "domain")), string_of(required(recipe, "op_type")));
}

/// The element types of an input; none if the version has no such input.
Types types_of(const OpSchema& schema, std::string_view input) {
  const auto found = std::ranges::find(schema.inputs(), input, &FormalParameter::name);
  return found == schema.inputs().end() ? Types() : schema.types_of(*found);
}

JsonValue item_of(const JsonValue& list, size_t place) {
  auto item = list.begin();
  for (; place > 0; --place) ++item;
  return *item;
}

JsonWriter every_opset(const Operator& op) {
  std::vector<std::int64_t> opsets;
  for (const OpSchema& schema : op.versions()) opsets.push_back(schema.since_version());
  JsonWriter writer;
  writer.set("each", opsets);
  return writer;
}

/// What an input states the type of its elements in: an optional one in its element.
JsonValue with_dtype(const JsonValue& input) {
  const auto element = input.kind() == JsonKind::object ? input.find("optional") : std::nullopt;
  return element && element->kind() == JsonKind::object ? *element : input;
}

bool has_every(const JsonValue& input) {
  const JsonValue stated = with_dtype(input);
  return stated.kind() == JsonKind::object && is_every(stated.find("dtype"));
}

Form form_of(const JsonValue& input) {
  const bool is_sequence = with_dtype(input).find("sequence").has_value();
  if (input.find("optional")) return is_sequence ? Form::optional_sequence : Form::optional;
  return is_sequence ? Form::sequence : Form::tensor;
}

JsonWriter every_dtype(const Operator& op, std::string_view name_of_input, const JsonValue& input) {
  Types types;
  for (const OpSchema& schema : op.versions()) types = types | types_of(schema, name_of_input);
  const std::vector<DType> dtypes = types.dtypes(form_of(input));
  if (dtypes.empty())
    fail(Fault::malformed, "{} is \"every\", but no version of {} has such types for an input '{}'",
         place(required(with_dtype(input), "dtype")), op.op_type(), printable(name_of_input));
  JsonWriter list = JsonWriter::list();
  for (const DType dtype : dtypes) list.append(name(dtype));
  JsonWriter writer;
  writer.set("each", std::move(list));
  return writer;
}

JsonWriter with_types(const Operator& op, std::string_view name_of_input, const JsonValue& input) {
  JsonWriter tensor;
  for (const JsonValue field : with_dtype(input))
    field.key() == "dtype" ? tensor.set("dtype", every_dtype(op, name_of_input, input))
                           : tensor.set(field.key(), field);
  if (!input.find("optional")) return tensor;
  JsonWriter optional;
  optional.set("optional", std::move(tensor));
  return optional;
}

/// The inputs, with the types in the place of "every".
JsonWriter with_types(const Operator& op, const JsonValue& inputs) {
  JsonWriter copy;
  for (const JsonValue input : inputs) {
    if (has_every(input)) {
      copy.set(input.key(), with_types(op, input.key(), input));
    } else if (input.kind() == JsonKind::list) {
      JsonWriter list = JsonWriter::list();
      for (const JsonValue tensor : input)
        has_every(tensor) ? list.append(with_types(op, input.key(), tensor)) : list.append(tensor);
      copy.set(input.key(), std::move(list));
    } else {
      copy.set(input.key(), input);
    }
  }
  return copy;
}

}  // namespace

Every::Every(const JsonValue& recipe) : document_(parse_json("{}")) {
  const auto inputs = recipe.find("inputs");
  const bool opsets = is_every(recipe.find("opset"));
  if (inputs && inputs->kind() == JsonKind::object)
    for (const JsonValue input : *inputs) add_inputs(input);
  if (opsets || !inputs_.empty()) op_ = &operator_of(recipe);
  JsonWriter copy;
  for (const JsonValue member : recipe) {
    if (member.key() == "opset" && opsets)
      copy.set("opset", every_opset(*op_));
    else if (member.key() == "inputs" && !inputs_.empty())
      copy.set("inputs", with_types(*op_, member));
    else
      copy.set(member.key(), member);
  }
  document_ = parse_json(copy.line());
}

void Every::add_inputs(const JsonValue& input) {
  if (has_every(input)) inputs_.push_back({std::string(input.key()), std::nullopt});
  if (input.kind() != JsonKind::list) return;
  size_t place = 0;
  for (const JsonValue tensor : input) {
    if (has_every(tensor)) inputs_.push_back({std::string(input.key()), place});
    ++place;
  }
}

bool Every::drops(const JsonValue& combination) const {
  if (inputs_.empty()) return false;
  const auto stated = combination.find("opset");
  const std::vector<OpSchema>& versions = op_->versions();
  const std::int64_t opset = stated ? opset_number(*stated) : versions.back().since_version();
  if (opset < versions.front().since_version()) return false;
  const OpSchema& schema = op_->schema_for(opset);
  return std::ranges::any_of(inputs_, [&](const Input& input) {
    const Types types = types_of(schema, input.name);
    const JsonValue tensors = required(required(combination, "inputs"), input.name);
    const JsonValue value = input.place ? item_of(tensors, *input.place) : tensors;
    return !types.empty() &&
           !types.contains(parse_dtype(string_of(required(with_dtype(value), "dtype"))), form_of(value));
  });
}

}  // namespace opref::golden
