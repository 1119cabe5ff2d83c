// SPDX-License-Identifier: Apache-2.0
#include "run/fixed_names.h"

#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <queue>
#include <set>

#include "core/error.h"
#include "run/renamed.h"
#include "schema/names_read.h"

namespace opref::run {
namespace {

using NameSet = std::set<std::string, std::less<>>;

/// The graph's nodes by place, each with those that read what it gives.
class Order {
 public:
  /// `around`: names that have a value before the first node.
  Order(const std::vector<Node>& nodes, const NameSet& around) : readers_(nodes.size()), waits_for_(nodes.size(), 0) {
    std::map<std::string_view, size_t> givers;
    for (size_t k = 0; k < nodes.size(); ++k)
      for (const std::string& output : nodes[k].outputs)
        if (!output.empty() && !around.contains(output)) givers.emplace(output, k);
    for (size_t k = 0; k < nodes.size(); ++k) {
      std::set<size_t> needed;
      each_name_read(nodes[k], [&](const std::string& name) {
        if (const auto giver = givers.find(name); giver != givers.end() && giver->second != k)
          needed.insert(giver->second);
      });
      for (const size_t giver : needed) readers_[giver].push_back(k);
      waits_for_[k] = needed.size();
      if (!needed.empty() && *needed.rbegin() > k) early_.push_back(k);
    }
  }

  /// Of nodes that read what a later one gives.
  const std::vector<size_t>& early() const { return early_; }

  /// The places in an order in which nothing is early, as near to the old one as that can be; a cycle's nodes are left
  /// out.
  std::vector<size_t> sound() {
    std::priority_queue<size_t, std::vector<size_t>, std::greater<>> ready;
    for (size_t k = 0; k < waits_for_.size(); ++k)
      if (waits_for_[k] == 0) ready.push(k);
    std::vector<size_t> order;
    while (!ready.empty()) {
      order.push_back(ready.top());
      ready.pop();
      for (const size_t reader : readers_[order.back()])
        if (--waits_for_[reader] == 0) ready.push(reader);
    }
    return order;
  }

 private:
  std::vector<std::vector<size_t>> readers_;
  std::vector<size_t> waits_for_, early_;
};

class Fixing {
 public:
  /// With `only`, nothing is sorted, and others are not renamed.
  explicit Fixing(const Graph& graph, const NameSet* only = nullptr) : only_(only) {
    used_.add(graph);
    if (graph.opset_import.functions != nullptr)
      for (const Function& function : *graph.opset_import.functions) used_.add(function.body);
  }

  /// `given` has the names that have a value before the first node; `where` the graph stands.
  void fix(Graph& graph, NameSet given, const std::string& where) {
    sort(graph.nodes, given, where);
    for (Node& node : graph.nodes) {
      fix_subgraphs(node, given, where);
      given.insert(node.outputs.begin(), node.outputs.end());
    }
  }

  void use(const std::string& name) { used_.add(name); }

  std::vector<std::string> changes;

 private:
  void sort(std::vector<Node>& nodes, const NameSet& given, const std::string& where) {
    if (only_ != nullptr) return;
    Order order(nodes, given);
    const std::vector<size_t>& early = order.early();
    if (early.empty()) return;
    const std::vector<size_t> places = order.sound();
    if (places.size() != nodes.size()) return;
    changes.push_back(format("{} now {} behind those whose outputs they read{}: {}", counted(std::ssize(early), "node"),
                             early.size() == 1 ? "stands" : "stand", where,
                             join_some(early, ", ", 3, [&](size_t place) { return to_text(nodes[place]); })));
    std::vector<Node> sorted;
    for (const size_t place : places) sorted.push_back(std::move(nodes[place]));
    nodes = std::move(sorted);
  }

  void fix_subgraphs(Node& node, const NameSet& around, const std::string& where) {
    for (Attribute& attribute : node.attributes) {
      const Graph* inner = subgraph(attribute);
      if (inner == nullptr) continue;
      Graph copy = *inner;
      fix_inside(copy, around, format(" in {} of {}{}", printable(attribute.name), to_text(node), where));
      set_subgraph(attribute, std::move(copy));
    }
  }

  /// A subgraph's names; what its nodes read before it is given inside is the one around it.
  void fix_inside(Graph& graph, const NameSet& around, const std::string& where) {
    NewNames now;
    NameSet given = around;
    const auto give = [&](std::string& name) {
      if (name.empty()) return;
      if (around.contains(name) && (only_ == nullptr || only_->contains(name))) {
        const std::string other = used_.unused(name);
        changes.push_back(format("'{}'{} is now '{}': a tensor around the graph has its name", printable(name), where,
                                 printable(other)));
        now.insert_or_assign(name, other);
        name = other;
      }
      given.insert(name);
    };
    for (ValueInfo& input : graph.inputs) give(input.name);
    for (Initializer& initializer : graph.initializers) give(initializer.name);
    sort(graph.nodes, given, where);
    for (Node& node : graph.nodes) {
      node = with_renamed_inputs(std::move(node), now);
      fix_subgraphs(node, given, where);
      for (std::string& output : node.outputs) give(output);
    }
    for (auto* infos : {&graph.outputs, &graph.declared})
      for (ValueInfo& info : *infos)
        if (const auto other = now.find(info.name); other != now.end()) info.name = other->second;
  }

  const NameSet* only_;
  UsedNames used_;
};

}  // namespace

std::vector<std::string> fix_names(Case& loaded) {
  Graph& graph = loaded.graph;
  Fixing fixing(graph);
  NameSet given;
  for (const ValueInfo& input : graph.inputs) given.insert(input.name);
  for (const NamedSource& source : loaded.inputs) {
    given.insert(source.name);
    fixing.use(source.name);
  }
  fixing.fix(graph, std::move(given), "");
  const auto functions = graph.opset_import.functions;
  if (functions == nullptr) return std::move(fixing.changes);
  std::vector<Function> fixed = *functions;
  for (Function& function : fixed) {
    NameSet inputs;
    for (const ValueInfo& input : function.body.inputs) inputs.insert(input.name);
    fixing.fix(function.body, std::move(inputs), " in the function " + to_text(function));
  }
  graph.opset_import.functions = std::make_shared<const std::vector<Function>>(std::move(fixed));
  return std::move(fixing.changes);
}

void rename_hidden(Graph& graph, const std::set<std::string, std::less<>>& names) {
  Fixing fixing(graph, &names);
  fixing.fix(graph, names, "");
}

}  // namespace opref::run
