// SPDX-License-Identifier: Apache-2.0
#include "run/taken_branches.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>

#include "core/error.h"
#include "ops/branches.h"
#include "run/fixed_names.h"
#include "run/load_inputs.h"
#include "run/part_of_graph.h"
#include "run/renamed.h"
#include "system/machine_error.h"

namespace opref::run {
namespace {

/// The value of a condition, where it follows from little.
std::optional<bool> known_condition(const Bound& bound, const std::string& name) {
  Bound part = bound;
  part.graph = needed_for(bound.graph, std::vector{name});
  drop_unread_inputs(part.graph);
  std::set<std::string, std::less<>> read{name};
  for (const Node& node : part.graph.nodes) read.merge(names_read(node));
  std::erase_if(part.inputs, [&](const NamedSource& source) {
    return !read.contains(source.name) || source.source.open_shape() != nullptr;
  });
  part.graph.nodes.push_back(ops::node_that_copies(name, part.graph.outputs.front().name + " is read"));
  part.options.generate = false;
  try {
    std::vector<std::string> warnings;
    Environment environment = load_inputs(part, part.options, warnings);
    infer(part.graph, environment, part.options);
    const auto known = environment.find(name);
    if (known == environment.end() || !known->second.value) return std::nullopt;
    const Tensor* tensor = known->second.value->tensor();
    if (tensor == nullptr || tensor->dtype() != DType::boolean || tensor->count() != 1) return std::nullopt;
    return tensor->bytes()[0] != std::byte{0};
  } catch (const Error& error) {  // of the model: whoever evaluates it says so
    pass_on(error);
    return std::nullopt;
  }
}

/// The graph that the node takes; null where that is not known, or the graph cannot stand around its node.
const Graph* taken_graph(const Bound& bound, const Node& node, bool& condition) {
  const auto branches = ops::branches_of(node);
  if (!branches || branches->condition >= node.inputs.size()) return nullptr;
  const auto known = known_condition(bound, node.inputs[branches->condition]);
  if (!known) return nullptr;
  condition = *known;
  const auto attribute =
      std::ranges::find(node.attributes, condition ? branches->if_true : branches->if_false, &Attribute::name);
  const Graph* graph = attribute == node.attributes.end() ? nullptr : subgraph(*attribute);
  if (graph == nullptr || !graph->inputs.empty() || graph->outputs.size() < node.outputs.size()) return nullptr;
  const bool has_tensors = std::ranges::all_of(graph->initializers, [](const Initializer& initializer) {
    return std::holds_alternative<Tensor>(initializer.value);
  });
  return has_tensors ? graph : nullptr;
}

/// New names of what the graph gives, for a place among the nodes of `bound` instead of the node at `place`, where
/// others give the old ones.
NewNames names_outside(const Bound& bound, size_t place, const Graph& taken) {
  const Node& node = bound.graph.nodes[place];
  UsedNames used;
  for (const auto* infos : {&bound.graph.inputs, &bound.graph.outputs})
    for (const ValueInfo& info : *infos) used.add(info.name);
  for (const NamedSource& source : bound.inputs) used.add(source.name);
  for (const Node& other : bound.graph.nodes)
    for (const std::string& output : other.outputs) used.add(output);
  NewNames names;
  std::set<std::string_view> computed;
  for (const Node& inner : taken.nodes) computed.insert(inner.outputs.begin(), inner.outputs.end());
  for (size_t k = 0; k < node.outputs.size(); ++k)
    if (!node.outputs[k].empty() && computed.contains(taken.outputs[k].name))
      names.emplace(taken.outputs[k].name, node.outputs[k]);
  const auto give = [&](const std::string& name) {
    if (!name.empty() && !names.contains(name) && used.contains(name)) names.emplace(name, used.unused(name));
  };
  for (const Initializer& initializer : taken.initializers) give(initializer.name);
  for (const Node& inner : taken.nodes) std::ranges::for_each(inner.outputs, give);
  return names;
}

/// The nodes of `taken` in place of the node, whose outputs they give; the names of what they give.
std::vector<std::string> put_in_place(Bound& bound, size_t place, const Graph& taken) {
  const Node node = bound.graph.nodes[place];
  const Graph graph = renamed(taken, names_outside(bound, place, taken));
  for (const Initializer& initializer : graph.initializers) {
    TensorSource source;
    source.from = TensorSource::Loaded{[tensor = std::get<Tensor>(initializer.value)](std::int64_t) { return tensor; }};
    bound.inputs.push_back({initializer.name, std::move(source)});
  }
  std::vector<Node> nodes = graph.nodes;
  for (size_t k = 0; k < node.outputs.size(); ++k)
    if (!node.outputs[k].empty() && graph.outputs[k].name != node.outputs[k])
      nodes.push_back(ops::node_that_copies(graph.outputs[k].name, node.outputs[k]));
  bound.graph.declared.insert(bound.graph.declared.end(), graph.declared.begin(), graph.declared.end());
  std::vector<std::string> moved;
  for (const Initializer& initializer : graph.initializers) moved.push_back(initializer.name);
  for (const Node& inner : graph.nodes) moved.insert(moved.end(), inner.outputs.begin(), inner.outputs.end());
  auto& all = bound.graph.nodes;
  all.erase(all.begin() + static_cast<std::ptrdiff_t>(place));
  all.insert(all.begin() + static_cast<std::ptrdiff_t>(place), std::make_move_iterator(nodes.begin()),
             std::make_move_iterator(nodes.end()));
  return moved;
}

}  // namespace

std::vector<std::string> take_branches(Bound& bound) {
  std::vector<std::string> taken;
  std::set<std::string, std::less<>> moved;
  if (bound.graph.nodes.size() < 2) return taken;
  for (size_t place = 0; place < bound.graph.nodes.size();) {
    const Node& node = bound.graph.nodes[place];
    bool condition = false;
    const Graph* graph = taken_graph(bound, node, condition);
    if (graph == nullptr) {
      ++place;
      continue;
    }
    taken.push_back(format("the condition of {} is {}: {} of its graph {} in its place",
                           node.name.empty() && !node.outputs.empty()
                               ? format("the {} that gives '{}'", printable(node.op_type), printable(node.outputs[0]))
                               : to_text(node),
                           condition ? "true" : "false", counted(std::ssize(graph->nodes), "node"),
                           graph->nodes.size() == 1 ? "stands" : "stand"));
    for (const std::string& name : put_in_place(bound, place, Graph(*graph))) moved.insert(name);
  }
  if (taken.empty()) return taken;
  bound.schema = nullptr;
  rename_hidden(bound.graph, moved);  // by graphs that stay
  return taken;
}

}  // namespace opref::run
