// SPDX-License-Identifier: Apache-2.0
#include "schema/op_schema.h"

#include <algorithm>
#include <array>

#include "core/error.h"

namespace opref::schema {
namespace {

/// Inputs (or outputs) that a node has at least: up to the last one that cannot be omitted.
size_t least_of(const std::vector<FormalParameter>& parameters) {
  size_t least = 0;
  for (size_t i = 0; i < parameters.size(); ++i) {
    if (parameters[i].arity == Arity::optional) continue;
    least = parameters[i].arity == Arity::heterogeneous_or_none ? i : i + 1;
  }
  return least;
}

size_t most_of(const std::vector<FormalParameter>& parameters) {
  return !parameters.empty() && is_variadic(parameters.back().arity) ? SIZE_MAX : parameters.size();
}

}  // namespace

AttributeSchema required(AttributeType type, std::string_view name, Range range) {
  return {name, type, Presence::required, std::move(range)};
}

AttributeSchema optional(AttributeType type, std::string_view name, Range range) {
  return {name, type, Presence::optional, std::move(range)};
}

AttributeSchema with_default(std::string_view name, AttributeValue value, Range range) {
  const AttributeType type = value.type;
  return {name, type, Presence::optional, std::move(range), std::move(value)};
}

AttributeSchema with_default(std::string_view name, float value, Range range) {
  return with_default(name, AttributeValue::of(value), std::move(range));
}

AttributeSchema with_default(std::string_view name, const char* value, Range range) {
  return with_default(name, AttributeValue::of(std::string(value)), std::move(range));
}

std::string_view name(Arity arity) {
  constexpr std::array<std::string_view, 5> kNames = {"single", "optional", "variadic", "heterogeneous",
                                                      "heterogeneous or none"};
  return kNames[static_cast<size_t>(arity)];
}

bool is_variadic(Arity arity) { return arity >= Arity::variadic; }

OpSchema& OpSchema::attribute(AttributeSchema attribute) {
  attributes_.push_back(std::move(attribute));
  return *this;
}

OpSchema& OpSchema::input(std::string_view name, std::string_view type, Arity arity, std::string_view meaning) {
  inputs_.push_back({name, type, arity, meaning});
  return *this;
}

OpSchema& OpSchema::input(std::string_view name, std::string_view type, std::string_view meaning) {
  return input(name, type, Arity::single, meaning);
}

OpSchema& OpSchema::output(std::string_view name, std::string_view type, Arity arity, std::string_view meaning) {
  outputs_.push_back({name, type, arity, meaning});
  return *this;
}

OpSchema& OpSchema::output(std::string_view name, std::string_view type, std::string_view meaning) {
  return output(name, type, Arity::single, meaning);
}

OpSchema& OpSchema::types(std::string_view variable, const Types& types, std::string_view sentence) {
  const auto found = std::ranges::find(constraints_, variable, &TypeConstraint::variable);
  if (found == constraints_.end())
    constraints_.push_back({variable, types, sentence});
  else
    *found = {variable, types, sentence.empty() ? found->sentence : sentence};
  return *this;
}

OpSchema& OpSchema::wording(std::string_view sentence) {
  wordings_.push_back(sentence);
  return *this;
}

OpSchema& OpSchema::other_rule(std::string_view sentence) {
  other_rules_.push_back(sentence);
  return *this;
}

OpSchema& OpSchema::shape_inference(ShapeInference inference) {
  shape_inference_ = inference;
  return *this;
}

OpSchema& OpSchema::deprecate() {
  is_deprecated_ = true;
  return *this;
}

OpSchema& OpSchema::anew() {
  const std::int64_t since_version = since_version_;
  *this = OpSchema();
  since_version_ = since_version;
  return *this;
}

OpSchema& OpSchema::add_types(std::string_view variable, const Types& types) {
  const auto found = std::ranges::find(constraints_, variable, &TypeConstraint::variable);
  if (found == constraints_.end())
    fail(Fault::internal, "no type variable '{}' in version {}", variable, since_version_);
  found->types = found->types | types;
  return *this;
}

AttributeSchema& OpSchema::change(std::string_view attribute) {
  const auto found = std::ranges::find(attributes_, attribute, &AttributeSchema::name);
  if (found == attributes_.end())
    fail(Fault::internal, "no attribute '{}' to change in version {}", attribute, since_version_);
  return *found;
}

FormalParameter& OpSchema::change_parameter(std::string_view name) {
  for (auto* list : {&inputs_, &outputs_})
    if (const auto found = std::ranges::find(*list, name, &FormalParameter::name); found != list->end()) return *found;
  fail(Fault::internal, "no input or output '{}' to change in version {}", name, since_version_);
}

OpSchema& OpSchema::remove(std::string_view name) {
  const auto is_it = [name](const auto& item) { return item.name == name; };
  const auto removed = std::erase_if(attributes_, is_it) + std::erase_if(inputs_, is_it) +
                       std::erase_if(outputs_, is_it) +
                       std::erase_if(constraints_, [name](const auto& item) { return item.variable == name; });
  if (removed != 1)
    fail(Fault::internal, "'{}' names {} things to remove in version {}", name, removed, since_version_);
  return *this;
}

OpSchema& OpSchema::rename(std::string_view name, std::string_view new_name) {
  change_parameter(name).name = new_name;
  return *this;
}

OpSchema& OpSchema::becomes_input(std::string_view attribute, Arity arity) {
  return remove(attribute).input(attribute, "int64", arity);
}

const AttributeSchema* OpSchema::find_attribute(std::string_view name) const {
  const auto found = std::ranges::find(attributes_, name, &AttributeSchema::name);
  return found == attributes_.end() ? nullptr : &*found;
}

Types OpSchema::types_of(std::string_view type) const {
  const auto found = std::ranges::find(constraints_, type, &TypeConstraint::variable);
  if (found != constraints_.end()) return found->types;
  if (const auto dtype = dtype_named(type)) return *dtype;
  fail(Fault::internal, "'{}' is neither a type variable nor a type", type);
}

size_t OpSchema::least_inputs() const { return least_of(inputs_); }
size_t OpSchema::most_inputs() const { return most_of(inputs_); }
size_t OpSchema::least_outputs() const { return least_of(outputs_); }
size_t OpSchema::most_outputs() const { return most_of(outputs_); }

const FormalParameter& OpSchema::formal(const std::vector<FormalParameter>& parameters, size_t index) {
  return parameters[std::min(index, parameters.size() - 1)];
}

VersionChange adds(std::string_view variable, const Types& types) {
  return [=](OpSchema& s) { s.add_types(variable, types); };
}
VersionChange adds(std::initializer_list<std::string_view> variables, const Types& types) {
  return [types, all = std::vector(variables)](OpSchema& s) {
    for (const std::string_view variable : all) s.add_types(variable, types);
  };
}
VersionChange allows(std::string_view variable, const Types& types) {
  return [=](OpSchema& s) { s.types(variable, types); };
}
VersionChange words(std::string_view sentence) {
  return [=](OpSchema& s) { s.wording(sentence); };
}
VersionChange rules(std::string_view sentence) {
  return [=](OpSchema& s) { s.other_rule(sentence); };
}

}  // namespace opref::schema
