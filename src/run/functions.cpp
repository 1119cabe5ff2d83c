// SPDX-License-Identifier: Apache-2.0
#include "run/functions.h"

#include <algorithm>
#include <set>

#include "core/error.h"
#include "ops/operators.h"
#include "run/attributes.h"
#include "run/version.h"
#include "schema/domains.h"

namespace opref::run {
namespace {

Types any_type() {
  Types tensors;
  for (const DTypeInfo& type : all_dtypes()) tensors = tensors | Types(type.dtype);
  return tensors | sequences(tensors) | optionals(tensors);
}

const FunctionSubgraphs& body_of(const Call& call) { return dynamic_cast<const FunctionSubgraphs&>(*call.subgraphs()); }

/// What a value is taken as that nothing in the function gives a type.
AttributeType type_of(const Attribute& attribute) {
  if (const auto* value = std::get_if<AttributeValue>(&attribute.value)) return value->type;
  return likely_type(std::get<Untyped>(attribute.value));
}

/// The attribute of a node of the body that stands for `attribute`.
std::optional<AttributeType> type_taken(const Node& node, std::string_view attribute, const OpsetImport& imports,
                                        int levels);

std::optional<AttributeType> type_taken(const Graph& graph, std::string_view attribute, const OpsetImport& imports,
                                        int levels) {
  for (const Node& node : graph.nodes)
    if (const auto type = type_taken(node, attribute, imports, levels)) return type;
  return std::nullopt;
}

std::optional<AttributeType> stated_type(const Function& function, std::string_view attribute,
                                         const OpsetImport& imports, int levels) {
  const auto found = std::ranges::find(function.defaults, attribute, &Attribute::name);
  if (found != function.defaults.end())
    if (const auto* value = std::get_if<AttributeValue>(&found->value)) return value->type;
  if (levels > 0)
    if (const auto type = type_taken(function.body, attribute, imports_of(function, imports), levels - 1)) return type;
  return found == function.defaults.end() ? std::nullopt : std::optional(type_of(*found));
}

std::optional<AttributeType> type_taken(const Node& node, std::string_view attribute, const OpsetImport& imports,
                                        int levels) {
  for (const AttributeReference& reference : node.references) {
    if (reference.stands_for != attribute) continue;
    if (reference.type) return reference.type;
    if (const Function* function = find_function(imports, node))
      return stated_type(*function, reference.name, imports, levels);
    const auto version = find_version(imports, node);
    const AttributeSchema* known = version ? version->schema.find_attribute(reference.name) : nullptr;
    if (known != nullptr) return known->type;
  }
  for (const Attribute& own : node.attributes)
    if (const Graph* inner = subgraph(own))
      if (const auto type = type_taken(*inner, attribute, imports, levels)) return type;
  return std::nullopt;
}

Operator operator_in(const Function& function, const Node& node, const OpsetImport& imports) {
  const auto version = [&](OpSchema& s) {
    const auto type = [&](const std::string& name) {
      const auto given = std::ranges::find(node.attributes, name, &Attribute::name);
      const auto taken = attribute_type(function, name, imports);
      return taken ? *taken : given == node.attributes.end() ? AttributeType::STRING : type_of(*given);
    };
    for (const std::string& name : function.attributes) s.attribute(optional(type(name), name));
    for (const Attribute& attribute : function.defaults) {
      AttributeSchema known = optional(type(attribute.name), attribute.name);
      const auto* value = std::get_if<AttributeValue>(&attribute.value);
      known.default_value =
          value != nullptr ? *value : coerce(attribute.name, std::get<Untyped>(attribute.value), known.type);
      s.attribute(std::move(known));
    }
    const Types any = any_type();
    for (const ValueInfo& input : function.body.inputs)
      s.input(input.name, input.name, Arity::optional).types(input.name, any);
    for (const ValueInfo& output : function.body.outputs)
      s.output(output.name, output.name, Arity::optional).types(output.name, any);
  };
  return Operator(domain_name(function.domain), function.name)
      .summary("a function of the model")
      .version(1, version)
      .output_types([](const Call& call) { return body_of(call).body_types(); })
      .kernel([](const Call& call, std::span<const Output>) { return body_of(call).body_values(); });
}

bool has_references(const Graph& graph) {
  return std::ranges::any_of(graph.nodes, [](const Node& node) {
    return !node.references.empty() || std::ranges::any_of(node.attributes, [](const Attribute& attribute) {
      const Graph* inner = subgraph(attribute);
      return inner != nullptr && has_references(*inner);
    });
  });
}

/// What is put into a body in the place of names.
struct Filling {
  const AttributeValues& attributes;
  std::set<std::string, std::less<>> omitted;

  void fill(Graph& graph) const {
    for (Node& node : graph.nodes) {
      for (std::string& input : node.inputs)
        if (omitted.contains(input)) input.clear();
      for (const AttributeReference& reference : node.references)
        if (const auto given = attributes.find(reference.stands_for); given != attributes.end())
          node.attributes.push_back({reference.name, given->second});
      node.references.clear();
      for (Attribute& attribute : node.attributes) {
        const Graph* inner = subgraph(attribute);
        if (inner == nullptr || (omitted.empty() && !has_references(*inner))) continue;
        Graph copy = *inner;
        fill(copy);
        std::get<AttributeValue>(attribute.value).value = std::make_shared<const Graph>(std::move(copy));
      }
    }
  }
};

}  // namespace

const Function* called_function(const OpsetImport& imports, const Node& node, const ReadingChoices& choices) {
  const Function* function = find_function(imports, node);
  if (function == nullptr) return nullptr;
  const auto chosen = choices.find(kFunctionPrecedence);
  const bool prefers_operator = chosen != choices.end() && chosen->second == kPrecedences[1];
  return prefers_operator && operator_of(imports, node) != nullptr ? nullptr : function;
}

FunctionOperator::FunctionOperator(const Function& function, const Node& node, const OpsetImport& imports)
    : function_(function),
      imports_(imports_of(function, imports)),
      opset_(1),
      op_(operator_in(function, node, imports)) {
  if (const auto stated = imports.find(canonical_domain(function.domain)); stated != imports.end())
    opset_ = stated->second;
}

std::shared_ptr<const Graph> FunctionOperator::body(const Call& call) const {
  auto body = std::make_shared<Graph>(function_.body);
  Filling filling{call.attributes(), {}};
  for (size_t i = 0; i < body->inputs.size(); ++i)
    if (i >= call.inputs().size() || call.inputs()[i].name.empty()) filling.omitted.insert(body->inputs[i].name);
  std::erase_if(body->inputs, [&](const ValueInfo& input) { return filling.omitted.contains(input.name); });
  filling.fill(*body);
  return body;
}

std::optional<std::string> FunctionOperator::other_versions(const OpsetImport& around) const {
  for (const Node& node : function_.body.nodes) {
    const auto here = find_version(imports_, node), there = find_version(around, node);
    if (!here || !there || &here->schema == &there->schema) continue;
    return format("the function imports opset {} of {}, the model {}, which has another version of {}", here->opset,
                  domain_name(node.domain), there->opset, printable(node.op_type));
  }
  return std::nullopt;
}

std::optional<AttributeType> attribute_type(const Function& function, std::string_view attribute,
                                            const OpsetImport& imports) {
  return stated_type(function, attribute, imports, kDeepestGraph);
}

}  // namespace opref::run
