// SPDX-License-Identifier: Apache-2.0
// Operators that take another one's rules under their own names: Operator::as.
#include <algorithm>

#include "core/error.h"
#include "schema/double_attributes.h"
#include "schema/node.h"
#include "schema/resolve.h"

namespace opref::schema {
namespace {

using Names = std::pair<std::string_view, std::string_view>;
using Always = std::pair<std::string_view, AttributeValue>;

/// Of a formal input that is not variadic, as the original's attribute, whose range holds for the input.
AttributeValue attribute_of(const Call& call, std::string_view input, const AttributeSchema& its) {
  if (its.type != INT && its.type != INTS)
    fail(Fault::internal, "{}: its input '{}' is no attribute of type {}", call.title(), input, its.type);
  AttributeValue value =
      its.type == INT ? AttributeValue::of(call.integer(input)) : AttributeValue::of(call.integers(input));
  require_in_range(input, value, its.range, "input");
  return value;
}

Tensor in_int32(const Tensor& indices) {
  TensorBuilder narrow({DType::int32, indices.shape()});
  std::ranges::transform(indices.values<std::int64_t>(), narrow.values<std::int32_t>().begin(),
                         [](std::int64_t n) { return static_cast<std::int32_t>(n); });
  return std::move(narrow).finish();
}

/// An attribute as the original gets it.
AttributeValue as_read(const Call& call, const AttributeValue& value) {
  const auto both = in_both_types(value);
  return both && !call.reads(kAttributeDouble, "double") ? AttributeValue::of(both->nearest) : value;
}

/// How many of the original's outputs are outputs of an operator with this version.
size_t outputs_taken(const OpSchema& version, size_t its) {
  const std::vector<FormalParameter>& ours = version.outputs();
  return is_variadic(ours.back().arity) ? its : std::min(its, ours.size());
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

Operator Operator::restated(void (*function)(const Call&, Restated&)) && {
  restated_ = function;
  return std::move(*this);
}

Operator Operator::index_type(std::string_view output, std::string_view attribute) && {
  index_types_.emplace_back(output, attribute);
  return std::move(*this);
}

bool Operator::is_narrow_index(const Call& call, size_t output) const {
  const std::vector<FormalParameter>& formal = call.schema().outputs();
  const auto found = std::ranges::find_if(
      index_types_, [&](const auto& known) { return output < formal.size() && formal[output].name == known.first; });
  return found != index_types_.end() && call.has(found->second) && call.string(found->second) == "i32";
}

void Restated::set(std::string_view attribute, AttributeValue value) {
  remove(attribute);
  attributes.push_back({std::string(attribute), std::move(value)});
}

void Restated::remove(std::string_view attribute) {
  std::erase_if(attributes, [&](const Attribute& known) { return known.name == attribute; });
}

void Operator::set_original(const Operator& original) {
  const auto bug = [&](std::string_view what) {
    fail(Fault::internal, "{} is built as {}, but {}", op_type_, original.op_type_, what);
  };
  if (kernel_ != nullptr || output_types_ != nullptr || (!readings_.empty() && restated_ == nullptr))
    bug("has rules of its own");
  if (original.original_) bug("that one takes another one's rules");
  const OpSchema& its = original.schema_for(original_->opset);
  OpSchema widened = its;
  const auto formal = [&](const std::vector<FormalParameter>& parameters, std::string_view there) {
    return std::ranges::find(parameters, there, &FormalParameter::name);
  };
  for (const OpSchema& version : versions_) {
    const auto gives = [&](std::string_view there) {
      const auto is_there = [&](const auto& known) { return original_->there(known.name) == there; };
      return std::ranges::any_of(version.attributes(), is_there) || std::ranges::any_of(version.inputs(), is_there) ||
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
      const Types more = version.types_of(input) - its.types_of(*found);
      if (restated_ == nullptr && !more.empty()) bug(format("the input '{}' of that has fewer types", there));
      if (std::ranges::find(its.constraints(), found->type, &TypeConstraint::variable) != its.constraints().end())
        widened.add_types(found->type, more);
    }
    for (size_t k = 0; k < version.outputs().size(); ++k) {
      const std::string_view there = original_->there(version.outputs()[k].name);
      const auto found = formal(its.outputs(), there);
      if (found == its.outputs().end()) bug(format("that has no output '{}'", there));
      if (found != its.outputs().begin() + static_cast<std::ptrdiff_t>(k))
        bug(format("the output '{}' of that has another place", there));
    }
    for (const AttributeSchema& attribute : version.attributes()) {
      const std::string_view there = original_->there(attribute.name);
      const AttributeSchema* known = its.find_attribute(there);
      if (there.empty()) continue;
      if (known == nullptr) bug(format("that has no attribute '{}'", there));
      if (known->type != attribute.type) bug(format("the attribute '{}' of that has another type", there));
      if (!has_all_of(known->range, attribute.range)) bug(format("the attribute '{}' of that has fewer values", there));
    }
  }
  rules_ = &original;
  widened_ = std::make_shared<const OpSchema>(std::move(widened));
  needs_types_alone_ = original.needs_types_alone_;
  for (Reading reading : original.readings_) {
    const std::string_view in_force = default_of(reading, its.since_version());
    if (in_force.empty()) continue;
    reading.link = link_of(reading, original);
    reading.defaults = {{versions_.front().since_version(), in_force}};
    readings_.push_back(std::move(reading));
  }
}

Call Operator::of_original(const Call& call) const {
  if (rules_ == nullptr) return call;
  const Version version{*rules_, *widened_, original_->opset};
  Restated said;
  for (const auto& [name, value] : original_->always) said.attributes.push_back({std::string(name), value});
  for (const auto& [name, value] : call.attributes())
    if (const std::string_view there = original_->there(name); !there.empty())
      said.attributes.push_back({std::string(there), as_read(call, value)});
  const std::vector<FormalParameter>& ours = call.schema().inputs();
  const auto take = [&](std::string_view there, bool may_be_none) {
    const size_t before = said.inputs.size();
    for (size_t place = 0; place < ours.size(); ++place) {
      if (original_->there(ours[place].name) != there) continue;
      if (is_variadic(ours[place].arity))
        std::ranges::copy(call.inputs(ours[place].name), std::back_inserter(said.inputs));
      else
        said.inputs.push_back(place < call.inputs().size() ? call.inputs()[place] : Input{});
    }
    if (said.inputs.size() == before && !may_be_none) said.inputs.emplace_back();
  };
  for (const FormalParameter& its : version.schema.inputs()) take(its.name, is_variadic(its.arity));
  for (const FormalParameter& input : ours)
    if (const AttributeSchema* its = version.schema.find_attribute(original_->there(input.name));
        its != nullptr && call.has(input.name))
      said.attributes.push_back({std::string(its->name), attribute_of(call, input.name, *its)});
  if (restated_ != nullptr) restated_(call, said);
  auto& [attributes, inputs] = said;
  while (!inputs.empty() && inputs.back().name.empty()) inputs.pop_back();
  Node node{std::string(rules_->op_type_), std::string(rules_->domain_), "", std::move(attributes), {}, {}};
  for (const Input& input : inputs) node.inputs.push_back(input.name);
  const size_t outputs = std::max(version.schema.outputs().size(), call.output_count());
  for (size_t k = 0; k < outputs; ++k)
    node.outputs.push_back(k < outputs_taken(call.schema(), outputs) && call.wants_output(k) ? format("output {}", k)
                                                                                             : "");
  Call taken = resolve(version, node, std::move(inputs), {});
  taken.stand_for(call);
  return taken;
}

std::vector<ValueType> Operator::output_types(const Call& call) const {
  if (output_types_ != nullptr || rules_ == nullptr) return output_types_(call);
  std::vector<ValueType> types = rules_->output_types(of_original(call));
  types.resize(outputs_taken(call.schema(), types.size()));
  for (size_t k = 0; k < types.size(); ++k)
    if (is_narrow_index(call, k)) types[k].tensor.dtype = DType::int32;
  return types;
}

std::vector<Value> Operator::kernel_of_original(const Call& call, std::span<const Output> outs) const {
  const Call taken = of_original(call);
  const std::vector<ValueType> types = rules_->output_types(taken);
  std::vector<Output> its;
  for (size_t k = 0; k < types.size(); ++k)
    if (k < outs.size())
      its.emplace_back(taken, k, is_narrow_index(call, k) ? types[k] : outs[k].value_type(), outs[k].wanted(),
                       outs[k].numerics());
    else
      its.emplace_back(taken, k, types[k], false, Numerics{});
  std::vector<Value> values = rules_->kernel(taken, its);
  values.resize(std::min(values.size(), outs.size()));
  for (size_t k = 0; k < values.size(); ++k)
    if (const auto* indices = std::get_if<Tensor>(&values[k]); indices != nullptr && is_narrow_index(call, k))
      values[k] = in_int32(*indices);
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
