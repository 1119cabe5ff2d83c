// SPDX-License-Identifier: Apache-2.0
#include "golden/every.h"

#include <algorithm>

#include "core/error.h"
#include "io/json/fields.h"
#include "schema/node.h"

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

Json every_opset(const Operator& op) {
  std::vector<std::int64_t> opsets;
  for (const OpSchema& schema : op.versions()) opsets.push_back(schema.since_version());
  return Json().set("each", opsets);
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

Json every_dtype(const Operator& op, std::string_view name_of_input, const JsonValue& input) {
  Types types;
  for (const OpSchema& schema : op.versions()) types = types | types_of(schema, name_of_input);
  const std::vector<DType> dtypes = types.dtypes(form_of(input));
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
  return input.find("optional") ? Json().set("optional", tensor) : tensor;
}

}  // namespace

Every::Every(const JsonValue& recipe) {
  for (const JsonValue member : recipe)
    if (member.key() != "where") recipe_.set(member.key(), member);
  const auto inputs = recipe.find("inputs");
  if (is_every(recipe.find("opset"))) recipe_.set("opset", every_opset(operator_here()));
  if (!inputs || inputs->kind() != JsonKind::object) return;
  Json all(*inputs);
  for (const JsonValue input : *inputs) {
    const auto add = [&](const JsonValue& tensor, std::optional<size_t> place) {
      inputs_.push_back({std::string(input.key()), place});
      return with_types(operator_here(), input.key(), tensor);
    };
    if (has_every(input)) all.set(input.key(), add(input, std::nullopt));
    if (input.kind() != JsonKind::list) continue;
    Json list = Json::list();
    size_t place = 0;
    for (const JsonValue tensor : input) {
      has_every(tensor) ? list.append(add(tensor, place)) : list.append(tensor);
      ++place;
    }
    all.set(input.key(), list);
  }
  if (!inputs_.empty()) recipe_.set("inputs", all);
}

const Operator& Every::operator_here() {
  if (op_ == nullptr) op_ = &operator_of(recipe_.root());
  return *op_;
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
