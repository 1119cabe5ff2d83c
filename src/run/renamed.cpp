// SPDX-License-Identifier: Apache-2.0
#include "run/renamed.h"

#include <memory>

namespace opref::run {
namespace {

void rename(std::string& name, const NewNames& names) {
  if (const auto known = names.find(name); known != names.end()) name = known->second;
}

/// Of a subgraph, which keeps the names that it gives itself.
Graph with_renamed_outer(Graph graph, NewNames names) {
  for (const ValueInfo& input : graph.inputs) names.erase(input.name);
  for (const Initializer& initializer : graph.initializers) names.erase(initializer.name);
  for (const Node& node : graph.nodes)
    for (const std::string& output : node.outputs) names.erase(output);
  return names.empty() ? graph : renamed(std::move(graph), names);
}

}  // namespace

void UsedNames::add(const Graph& graph) {
  for (const auto* infos : {&graph.inputs, &graph.outputs})
    for (const ValueInfo& info : *infos) names_.insert(info.name);
  for (const Initializer& initializer : graph.initializers) names_.insert(initializer.name);
  for (const Node& node : graph.nodes) add(node);
}

void UsedNames::add(const Node& node) {
  names_.insert(node.inputs.begin(), node.inputs.end());
  names_.insert(node.outputs.begin(), node.outputs.end());
  for (const Attribute& attribute : node.attributes)
    if (const Graph* inner = subgraph(attribute)) add(*inner);
}

std::string UsedNames::unused(const std::string& name) {
  for (int k = 1;; ++k)
    if (std::string other = name + "_" + std::to_string(k); names_.insert(other).second) return other;
}

Node with_renamed_inputs(Node node, const NewNames& names) {
  for (std::string& input : node.inputs) rename(input, names);
  for (Attribute& attribute : node.attributes)
    if (const Graph* inner = subgraph(attribute)) set_subgraph(attribute, with_renamed_outer(*inner, names));
  return node;
}

Graph renamed(Graph graph, const NewNames& names) {
  for (Node& node : graph.nodes) {
    node = with_renamed_inputs(std::move(node), names);
    for (std::string& output : node.outputs) rename(output, names);
  }
  for (auto* infos : {&graph.inputs, &graph.outputs, &graph.declared})
    for (ValueInfo& info : *infos) rename(info.name, names);
  for (Initializer& initializer : graph.initializers) rename(initializer.name, names);
  return graph;
}

void set_subgraph(Attribute& attribute, Graph graph) {
  std::get<AttributeValue>(attribute.value).value = std::make_shared<const Graph>(std::move(graph));
}

}  // namespace opref::run
