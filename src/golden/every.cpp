#include "golden/every.h"

#include <algorithm>

#include "core/error.h"
#include "io/json.h"
#include "io/json_fields.h"
#include "run/evaluate.h"

namespace opref {
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

JsonWriter every_opset(const Operator& op) {
  std::vector<std::int64_t> opsets;
  for (const OpSchema& schema : op.versions()) opsets.push_back(schema.since_version());
  JsonWriter writer;
  writer.set("each", opsets);
  return writer;
}

JsonWriter every_dtype(const Operator& op, const JsonValue& input) {
  Types types;
  for (const OpSchema& schema : op.versions()) types = types | types_of(schema, input.key());
  const std::vector<DType> dtypes = types.dtypes();
  if (dtypes.empty())
    fail(Fault::malformed, "{} is \"every\", but no version of {} has types of tensors for an input '{}'",
         place(required(input, "dtype")), op.op_type(), printable(input.key()));
  JsonWriter list = JsonWriter::list();
  for (const DType dtype : dtypes) list.append(name(dtype));
  JsonWriter writer;
  writer.set("each", std::move(list));
  return writer;
}

/// The inputs, with the types in the place of "every".
JsonWriter with_types(const Operator& op, const JsonValue& inputs) {
  JsonWriter copy;
  for (const JsonValue input : inputs) {
    if (!is_every(input.find("dtype"))) {
      copy.set(input.key(), input);
      continue;
    }
    JsonWriter tensor;
    for (const JsonValue field : input)
      field.key() == "dtype" ? tensor.set("dtype", every_dtype(op, input)) : tensor.set(field.key(), field);
    copy.set(input.key(), std::move(tensor));
  }
  return copy;
}

}  // namespace

Every::Every(const JsonValue& recipe) : document_(parse_json("{}")) {
  const auto inputs = recipe.find("inputs");
  const bool opsets = is_every(recipe.find("opset"));
  if (inputs && inputs->kind() == JsonKind::object)
    for (const JsonValue input : *inputs)
      if (is_every(input.find("dtype"))) inputs_.emplace_back(input.key());
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

bool Every::drops(const JsonValue& combination) const {
  if (inputs_.empty()) return false;
  const auto stated = combination.find("opset");
  const std::vector<OpSchema>& versions = op_->versions();
  const std::int64_t opset = stated ? integer_of(*stated, 1) : versions.back().since_version();
  if (opset < versions.front().since_version()) return false;
  const OpSchema& schema = op_->schema_for(opset);
  return std::ranges::any_of(inputs_, [&](const std::string& input) {
    const Types types = types_of(schema, input);
    const std::string dtype = string_of(required(required(required(combination, "inputs"), input), "dtype"));
    return !types.empty() && !types.contains(parse_dtype(dtype));
  });
}

}  // namespace opref
