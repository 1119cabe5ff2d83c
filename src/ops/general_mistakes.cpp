// SPDX-License-Identifier: Apache-2.0
#include "ops/general_mistakes.h"

#include <algorithm>

#include "ops/operators.h"
#include "schema/node.h"
#include "schema/resolve.h"

namespace opref::ops {
namespace {

using Mistakes = std::vector<KnownMistake>;

void add_value(Mistakes& mistakes, std::string_view attribute, const AttributeValue& value) {
  mistakes.push_back({format("{} taken as {}", attribute, to_text(value)), [attribute, value](const Call& call) {
                        return std::optional(call.with_attribute(attribute, value));
                      }});
}

/// Of the first input, where its type is known.
std::int64_t rank_of(const Call& call) {
  const bool known =
      !call.inputs().empty() && call.inputs()[0].type.form == Form::tensor && call.inputs()[0].type.has_shape;
  return known ? static_cast<std::int64_t>(call.inputs()[0].type.tensor.rank()) : 0;
}

void add_other_values(Mistakes& mistakes, const Call& call, const AttributeSchema& attribute) {
  const auto found = call.attributes().find(attribute.name);
  if (attribute.type == AttributeType::INT && attribute.range == flag() && found != call.attributes().end()) {
    add_value(mistakes, attribute.name, AttributeValue::of(std::int64_t{call.integer(attribute.name) == 0}));
  } else if (attribute.type == AttributeType::STRING) {
    for (const std::string_view word : attribute.range.words)
      if (found == call.attributes().end() || call.string(attribute.name) != word)
        add_value(mistakes, attribute.name, AttributeValue::of(std::string(word)));
  } else if (attribute.type == AttributeType::INT && attribute.name == "axis" && found != call.attributes().end()) {
    const std::int64_t rank = rank_of(call), axis = call.integer("axis");
    for (std::int64_t other = 0; other < rank; ++other)
      if (other != axis && other != axis + rank) add_value(mistakes, "axis", AttributeValue::of(other));
  } else if (attribute.type == AttributeType::FLOAT && attribute.name == "epsilon") {
    add_value(mistakes, "epsilon", AttributeValue::of(0.0F));
  }
}

constexpr std::string_view kAxes = "axes";

/// One axis taken as another one, as an attribute or an input.
void add_other_axes(Mistakes& mistakes, const Call& call) {
  if (!call.has_here(kAxes)) return;
  const bool is_input = call.schema().find_attribute(kAxes) == nullptr;
  if (is_input && !call.has_value(kAxes)) return;
  const std::int64_t rank = rank_of(call);
  const std::vector<std::int64_t> axes = call.integers(kAxes);
  if (axes.size() != 1) return;
  for (std::int64_t other = 0; other < rank; ++other) {
    if (other == axes[0] || other == axes[0] + rank) continue;
    mistakes.push_back({format("axes taken as [{}]", other), [is_input, other](const Call& taken) {
                          const std::vector<std::int64_t> list{other};
                          if (!is_input) return std::optional(taken.with_attribute(kAxes, AttributeValue::of(list)));
                          return std::optional(
                              taken.with_input(kAxes, Tensor::of<std::int64_t>(DType::int64, Dims{1}, list)));
                        }});
  }
}

void add_exchanges(Mistakes& mistakes, const Call& call) {
  const std::vector<FormalParameter>& inputs = call.schema().inputs();
  const auto is_there = [&](const FormalParameter& input) {
    return !is_variadic(input.arity) && call.has(input.name) && call.has_value(input.name);
  };
  for (size_t b = 1; b < inputs.size(); ++b)
    for (size_t a = 0; a < b; ++a) {
      const std::string_view first = inputs[a].name, second = inputs[b].name;
      if (!is_there(inputs[a]) || !is_there(inputs[b]) || call.value_type(first) != call.value_type(second)) continue;
      mistakes.push_back({format("{} and {} exchanged", first, second), [first, second](const Call& taken) {
                            return std::optional(
                                taken.with_input(first, taken.value(second)).with_input(second, taken.value(first)));
                          }});
    }
}

/// Whether each takes what the other one takes, by number and kind.
bool take_the_same(const OpSchema& a, const OpSchema& b) {
  const auto same = [](const FormalParameter& p, const FormalParameter& q) { return p.arity == q.arity; };
  return std::ranges::equal(a.inputs(), b.inputs(), same) && std::ranges::equal(a.outputs(), b.outputs(), same);
}

bool has_graphs(const OpSchema& schema) {
  return std::ranges::any_of(schema.attributes(),
                             [](const AttributeSchema& a) { return a.type == AttributeType::GRAPH; });
}

Call taken_by(const Call& call, const Version& version) {
  Node node{std::string(version.op.op_type()), std::string(version.op.domain()), "", {}, {}, {}};
  for (const auto& [name, value] : call.attributes())
    if (call.stated(name)) node.attributes.push_back({name, value});
  for (const Input& input : call.inputs()) node.inputs.push_back(input.name);
  for (size_t k = 0; k < call.output_count(); ++k)
    node.outputs.push_back(call.wants_output(k) ? format("output {}", k) : "");
  return resolve(version, node, call.inputs(), {});
}

}  // namespace

std::vector<KnownMistake> general_mistakes(const Call& call) {
  Mistakes mistakes;
  for (const AttributeSchema& attribute : call.schema().attributes()) add_other_values(mistakes, call, attribute);
  add_other_axes(mistakes, call);
  add_exchanges(mistakes, call);
  return mistakes;
}

std::vector<KnownMistake> other_operators(const Call& call) {
  Mistakes mistakes;
  if (call.inputs().empty() || has_graphs(call.schema())) return mistakes;
  for (const OperatorRow& row : operator_rows()) {
    if (row.domain != call.op().domain() || row.op_type == call.op().op_type()) continue;
    const Operator& other = get_operator(row.domain, row.op_type);
    const std::int64_t opset = std::max(call.version(), other.versions().front().since_version());
    const Version version = other.at(opset);
    if (!other.has_kernel() || !take_the_same(version.schema, call.schema()) || has_graphs(version.schema)) continue;
    mistakes.push_back({format("computed as {}", row.op_type),
                        [version](const Call& taken) { return std::optional(taken_by(taken, version)); }});
  }
  return mistakes;
}

}  // namespace opref::ops
