// SPDX-License-Identifier: Apache-2.0
// Operators that take another one's rules under their own names: Operator::as.
#include <algorithm>

#include "core/error.h"
#include "schema/node.h"
#include "schema/resolve.h"

namespace opref::schema {
namespace {

using Names = std::pair<std::string_view, std::string_view>;
using Always = std::pair<std::string_view, AttributeValue>;

/// Of a formal input that is not variadic, as the original's attribute.
AttributeValue attribute_of(const Call& call, std::string_view input, AttributeType type) {
  if (type == INT) return AttributeValue::of(call.integer(input));
  if (type == INTS) return AttributeValue::of(call.integers(input));
  fail(Fault::internal, "{}: its input '{}' is no attribute of type {}", call.title(), input, type);
}

}  // namespace

std::string_view Original::there(std::string_view here) const {
  const auto found = std::ranges::find(names, here, &Names::first);
  return found == names.end() ? here : found->second;
}

std::string_view Original::here(std::string_view there) const {
  const auto found = std::ranges::find(names, there, &Names::second);
  if (found != names.end()) return found->first;
  return std::ranges::find(names, there, &Names::first) == names.end() ? there : std::string_view();
}

Operator Operator::as(std::string_view domain, std::string_view op_type, std::int64_t opset, std::vector<Names> names,
                      std::vector<Always> always) && {
  original_ = {domain, op_type, opset, std::move(names), std::move(always)};
  return std::move(*this);
}

void Operator::set_original(const Operator& original) {
  const auto bug = [&](std::string_view what) {
    fail(Fault::internal, "{} is built as {}, but {}", op_type_, original.op_type_, what);
  };
  if (kernel_ != nullptr || output_types_ != nullptr) bug("has rules of its own");
  if (original.original_) bug("that one takes another one's rules");
  const OpSchema& its = original.schema_for(original_->opset);
  const auto formal = [&](const std::vector<FormalParameter>& parameters, std::string_view there) {
    return std::ranges::find(parameters, there, &FormalParameter::name);
  };
  for (const OpSchema& version : versions_) {
    const auto gives = [&](std::string_view there) {
      const std::string_view here = original_->here(there);
      return version.find_attribute(here) != nullptr || formal(version.inputs(), here) != version.inputs().end() ||
             std::ranges::find(original_->always, there, &Always::first) != original_->always.end();
    };
    for (const FormalParameter& input : its.inputs())
      if (input.arity == Arity::single && !gives(input.name)) bug(format("gives it no input '{}'", input.name));
    for (const AttributeSchema& attribute : its.attributes())
      if (attribute.presence == Presence::required && !gives(attribute.name))
        bug(format("gives it no attribute '{}'", attribute.name));
    for (const FormalParameter& input : version.inputs()) {
      const std::string_view there = original_->there(input.name);
      if (there.empty() || its.find_attribute(there) != nullptr) continue;
      const auto found = formal(its.inputs(), there);
      if (found == its.inputs().end()) bug(format("that has no input '{}'", there));
      if (!names(version.types_of(input) - its.types_of(*found)).empty())
        bug(format("the input '{}' of that has fewer types", there));
    }
    for (const FormalParameter& output : version.outputs())
      if (formal(its.outputs(), original_->there(output.name)) == its.outputs().end())
        bug(format("that has no output '{}'", original_->there(output.name)));
    for (const AttributeSchema& attribute : version.attributes())
      if (const std::string_view there = original_->there(attribute.name);
          !there.empty() && its.find_attribute(there) == nullptr)
        bug(format("that has no attribute '{}'", there));
  }
  rules_ = &original;
  needs_types_alone_ = original.needs_types_alone_;
}

std::vector<std::optional<size_t>> Operator::places_of_outputs(const Call& call) const {
  const std::vector<FormalParameter>& ours = call.schema().outputs();
  std::vector<std::optional<size_t>> places;
  for (const FormalParameter& its : rules_->schema_for(original_->opset).outputs()) {
    const auto found = std::ranges::find(ours, original_->here(its.name), &FormalParameter::name);
    const auto place = static_cast<size_t>(found - ours.begin());
    places.push_back(found == ours.end() ? std::nullopt : std::optional(place));
    if (found != ours.end() && is_variadic(found->arity))
      for (size_t k = place + 1; k < call.output_count(); ++k) places.emplace_back(k);
  }
  return places;
}

Call Operator::of_original(const Call& call) const {
  const Version version = rules_->at(original_->opset);
  Node node{std::string(rules_->op_type_), std::string(rules_->domain_), "", {}, {}, {}};
  for (const auto& [name, value] : original_->always) node.attributes.push_back({std::string(name), value});
  for (const auto& [name, value] : call.attributes())
    if (const std::string_view there = original_->there(name); !there.empty())
      node.attributes.push_back({std::string(there), value});
  std::vector<Input> inputs;
  const std::vector<FormalParameter>& ours = call.schema().inputs();
  for (const FormalParameter& its : version.schema.inputs()) {
    const auto found = std::ranges::find(ours, original_->here(its.name), &FormalParameter::name);
    const auto place = static_cast<size_t>(found - ours.begin());
    if (found != ours.end() && is_variadic(found->arity))
      std::ranges::copy(call.inputs(found->name), std::back_inserter(inputs));
    else
      inputs.push_back(found != ours.end() && place < call.inputs().size() ? call.inputs()[place] : Input{});
  }
  while (!inputs.empty() && inputs.back().name.empty()) inputs.pop_back();
  for (const FormalParameter& input : ours)
    if (const AttributeSchema* its = version.schema.find_attribute(original_->there(input.name));
        its != nullptr && call.has(input.name))
      node.attributes.push_back({std::string(its->name), attribute_of(call, input.name, its->type)});
  for (const Input& input : inputs) node.inputs.push_back(input.name);
  for (const std::optional<size_t>& place : places_of_outputs(call))
    node.outputs.push_back(place && call.wants_output(*place) ? format("output {}", *place) : "");
  Call taken = resolve(version, node, std::move(inputs), {});
  taken.stand_for(call);
  return taken;
}

std::vector<ValueType> Operator::output_types(const Call& call) const {
  if (rules_ == nullptr) return output_types_(call);
  const std::vector<ValueType> its = rules_->output_types(of_original(call));
  std::vector<ValueType> types;
  const auto places = places_of_outputs(call);
  for (size_t k = 0; k < std::min(its.size(), places.size()); ++k)
    if (places[k]) {
      types.resize(std::max(types.size(), *places[k] + 1));
      types[*places[k]] = its[k];
    }
  return types;
}

std::vector<Value> Operator::kernel_of_original(const Call& call, std::span<const Output> outs) const {
  const Call taken = of_original(call);
  const std::vector<ValueType> types = rules_->output_types(taken);
  const auto places = places_of_outputs(call);
  std::vector<Output> its;
  for (size_t k = 0; k < types.size(); ++k)
    if (k < places.size() && places[k] && *places[k] < outs.size()) {
      const Output& out = outs[*places[k]];
      its.emplace_back(taken, k, out.value_type(), out.wanted(), out.numerics());
    } else {
      its.emplace_back(taken, k, types[k], false, Numerics{});
    }
  std::vector<Value> given = rules_->kernel(taken, its), values(outs.size());
  for (size_t k = 0; k < std::min(given.size(), places.size()); ++k)
    if (places[k] && *places[k] < values.size()) values[*places[k]] = std::move(given[k]);
  return values;
}

std::vector<Dims> Operator::placement(const Call& call) const {
  if (rules_ != nullptr) return rules_->placement(of_original(call));
  return placement_ ? placement_(call) : std::vector<Dims>{};
}

std::vector<Note> Operator::notes(const Call& call) const {
  if (rules_ == nullptr) return notes_ ? notes_(call) : std::vector<Note>{};
  std::vector<Note> notes = rules_->notes(of_original(call));
  for (Note& note : notes) note.subject = original_->here(note.subject);
  return notes;
}

TermOrder Operator::order(const Call& call) const {
  if (rules_ != nullptr) return rules_->order(of_original(call));
  return order_ ? order_(call) : TermOrder{};
}

}  // namespace opref::schema
