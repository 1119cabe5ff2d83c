// SPDX-License-Identifier: Apache-2.0
// Tensors of a graph under other names.
#pragma once

#include <map>
#include <set>
#include <string>

#include "schema/node.h"

namespace opref::run {

/// New names by old ones.
using NewNames = std::map<std::string, std::string, std::less<>>;

/// All names of tensors that a graph has, those of the graphs in its nodes too; and names that none of them is.
class UsedNames {
 public:
  void add(const Graph& graph);
  void add(const Node& node);
  void add(const std::string& name) { names_.insert(name); }
  bool contains(const std::string& name) const { return names_.contains(name); }
  /// `name` with a number behind it, which counts as used from now on.
  std::string unused(const std::string& name);

 private:
  std::set<std::string, std::less<>> names_;
};

/// What the node reads under its new names, in its subgraphs too, as far as they give no tensor of the old name.
Node with_renamed_inputs(Node node, const NewNames& names);

/// All that the graph's nodes read and give, its initializers, inputs, outputs and declarations under new names.
Graph renamed(Graph graph, const NewNames& names);

/// The attribute's subgraph becomes `graph`.
void set_subgraph(Attribute& attribute, Graph graph);

}  // namespace opref::run
