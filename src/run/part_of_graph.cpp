// SPDX-License-Identifier: Apache-2.0
#include "run/part_of_graph.h"

#include <algorithm>
#include <map>

#include "core/error.h"
#include "run/remedies.h"

namespace opref::run {
namespace {

ValueInfo declared(const GraphNames& names, const std::string& tensor) {
  const ValueInfo* info = names.declaration(tensor);
  return info == nullptr ? ValueInfo{tensor, "", {}, {}} : *info;
}

/// In the order of the node's inputs, then what its subgraphs read.
std::vector<std::string> in_order_read(const Node& node) {
  std::set<std::string, std::less<>> read = names_read(node);
  std::vector<std::string> names;
  for (const std::string& input : node.inputs)
    if (read.erase(input) != 0) names.push_back(input);
  names.insert(names.end(), read.begin(), read.end());
  return names;
}

/// Without what the graph declares of inner tensors.
Graph part_of(const Graph& graph, const GraphNames& names, const std::set<size_t>& places) {
  Graph part{graph.name, {}, {}, {}, {}, graph.opset_import, {}, graph.aliases};
  std::set<std::string, std::less<>> given, read;
  for (const size_t place : places) {
    part.nodes.push_back(graph.nodes[place]);
    given.insert(part.nodes.back().outputs.begin(), part.nodes.back().outputs.end());
    read.merge(names_read(part.nodes.back()));
  }
  for (const Node& node : part.nodes) {
    for (const std::string& name : in_order_read(node))
      if (given.insert(name).second) part.inputs.push_back(declared(names, name));
    for (const std::string& name : node.outputs)
      if (!name.empty() && (places.size() == 1 || !read.contains(name) || names.is_output(name)))
        part.outputs.push_back(declared(names, name));
  }
  return part;
}

bool is_named(const Node& node, std::string_view name) {
  return node.name == name || std::ranges::find(node.outputs, name) != node.outputs.end();
}

/// "the Relu that gives 'y'"
std::string titled(const Node& node) {
  return format("the {} that gives '{}'", printable(node.op_type),
                node.outputs.empty() ? "" : printable(node.outputs.front()));
}

/// Whether the name is one of a node in the node's subgraphs, however deep.
bool has_inside(const Node& node, std::string_view name) {
  return std::ranges::any_of(node.attributes, [&](const Attribute& attribute) {
    const Graph* body = subgraph(attribute);
    return body != nullptr && std::ranges::any_of(body->nodes, [&](const Node& inner) {
             return is_named(inner, name) || has_inside(inner, name);
           });
  });
}

/// Some names of nodes: those of the operator that has this name, else those that read something: nobody picks a
/// constant.
std::string nodes_shown(const Graph& graph, std::string_view op_type) {
  const bool is_operator = std::ranges::count(graph.nodes, op_type, &Node::op_type) > 0;
  std::vector<std::string_view> names;
  for (const Node& node : graph.nodes) {
    const bool is_shown = is_operator ? node.op_type == op_type : !node.inputs.empty();
    if (is_shown && !node.name.empty())
      names.push_back(node.name);
    else if (is_shown && !node.outputs.empty())
      names.push_back(node.outputs.front());
  }
  return join_some(names, ", ", 8, [](std::string_view known) { return printable(known); });
}

}  // namespace

size_t place_of_node(const Graph& graph, std::string_view name) {
  const auto named = [name](const Node& node) { return is_named(node, name); };
  const auto found = std::ranges::find_if(graph.nodes, named);
  const auto alias = std::ranges::find(graph.aliases, name, &TensorAlias::name);
  if (found == graph.nodes.end() && alias != graph.aliases.end() && alias->tensor != name)
    return place_of_node(graph, alias->tensor);
  if (found != graph.nodes.end()) {
    const auto other = std::find_if(std::next(found), graph.nodes.end(), named);
    if (other != graph.nodes.end())
      fail(Fault::usage, "'{}' is both {} and {}: name the node by an output that no other has", printable(name),
           titled(*found), titled(*other));
    return static_cast<size_t>(found - graph.nodes.begin());
  }
  const auto reader =
      std::ranges::find_if(graph.nodes, [&](const Node& node) { return names_read(node).contains(std::string(name)); });
  if (reader != graph.nodes.end() && !reader->outputs.empty())
    fail(Fault::usage, "'{}' is an input, which no node gives; the node that gives '{}' reads it", printable(name),
         printable(reader->outputs.front()));
  for (const Node& node : graph.nodes)
    if (has_inside(node, name))
      fail(Fault::usage, "'{}' is inside a subgraph of '{}' ({}), which opref takes as one node: name that",
           printable(name), printable(node.name.empty() && !node.outputs.empty() ? node.outputs.front() : node.name),
           node.op_type);
  std::vector<std::string_view> names;
  for (const Node& node : graph.nodes) {
    if (!node.name.empty()) names.push_back(node.name);
    names.insert(names.end(), node.outputs.begin(), node.outputs.end());
  }
  if (name.find('=') != std::string::npos)
    fail(Fault::usage, "'{}' stands where a node's name or output is expected", printable(name));
  const std::string meant = did_you_mean(name, names);
  fail(Fault::usage, meant.empty() ? WayOut(kListNodes, nodes_shown(graph, name)) : WayOut(),
       "no node has the name or an output '{}'{}", printable(name), meant);
}

Graph chosen_nodes(const Graph& graph, std::span<const std::string> names) {
  std::set<size_t> places;
  for (const std::string& name : names) places.insert(place_of_node(graph, name));
  Graph part = part_of(graph, GraphNames(graph), places);
  part.declared = graph.declared;
  return part;
}

Graph node_alone(const Graph& graph, const GraphNames& names, size_t place) { return part_of(graph, names, {place}); }

void cut_at(Graph& graph, const std::set<std::string>& given) {
  std::vector<ValueInfo> cut_inputs;
  std::set<std::string, std::less<>> inputs;
  for (const ValueInfo& input : graph.inputs) inputs.insert(input.name);
  const GraphNames names(graph);
  const auto only_computes_given = [&](Node& node) {
    bool cut = false;
    for (std::string& output : node.outputs)
      if (!output.empty() && given.contains(output)) {
        if (inputs.insert(output).second) cut_inputs.push_back(declared(names, output));
        output.clear();
        cut = true;
      }
    return cut && std::ranges::all_of(node.outputs, &std::string::empty);
  };
  std::vector<Node> kept;
  for (Node& node : graph.nodes)
    if (!only_computes_given(node)) kept.push_back(std::move(node));
  graph.nodes = std::move(kept);
  graph.inputs.insert(graph.inputs.end(), cut_inputs.begin(), cut_inputs.end());
}

Graph needed_for(const Graph& graph, std::span<const std::string> wanted, size_t begin) {
  std::multimap<std::string_view, size_t> givers;
  for (size_t i = begin; i < graph.nodes.size(); ++i)
    for (const std::string& output : graph.nodes[i].outputs)
      if (!output.empty()) givers.emplace(output, i);
  std::set<size_t> needed;
  std::vector<std::string> open(wanted.begin(), wanted.end());
  while (!open.empty()) {
    const std::string name = std::move(open.back());
    open.pop_back();
    const auto [first, last] = givers.equal_range(name);
    for (auto giver = first; giver != last; ++giver)
      if (needed.insert(giver->second).second)
        for (const std::string& read : names_read(graph.nodes[giver->second])) open.push_back(read);
  }
  Graph part{graph.name, {}, graph.inputs, {}, graph.declared, graph.opset_import, graph.initializers, graph.aliases};
  for (const size_t i : needed) part.nodes.push_back(graph.nodes[i]);
  const GraphNames names(graph);
  std::set<std::string_view> known;
  for (const std::string& name : wanted)
    if (known.insert(name).second) part.outputs.push_back(declared(names, name));
  return part;
}

Graph part_between(const Graph& graph, std::span<const std::string> from, std::span<const std::string> to) {
  Graph cut = graph;
  cut_at(cut, {from.begin(), from.end()});
  for (const std::string& name : to)
    if (std::ranges::find(from, name) != from.end())
      fail(Fault::usage, "'{}' is both where the part begins and where it ends", printable(name));
  Graph part = needed_for(cut, to);
  drop_unread_inputs(part);
  if (part.nodes.empty())
    fail(Fault::usage, "no node computes {}",
         join_some(to, ", ", 8, [](const std::string& name) { return format("'{}'", printable(name)); }));
  for (const std::string& name : from)
    if (std::ranges::find(part.inputs, name, &ValueInfo::name) == part.inputs.end())
      fail(Fault::usage, "the part does not need '{}': {} not depend on it", printable(name),
           to.size() == 1 ? format("'{}' does", printable(to.front())) : "what it ends with does");
  std::set<std::string_view> inner;
  for (const Node& node : part.nodes) inner.insert(node.outputs.begin(), node.outputs.end());
  std::erase_if(part.declared, [&](const ValueInfo& info) { return !inner.contains(info.name); });
  return part;
}

void drop_unread_inputs(Graph& graph) {
  std::set<std::string, std::less<>> read;
  for (const Node& node : graph.nodes) read.merge(names_read(node));
  for (const ValueInfo& output : graph.outputs) read.insert(output.name);
  std::erase_if(graph.inputs, [&](const ValueInfo& input) { return !read.contains(input.name); });
}

}  // namespace opref::run
