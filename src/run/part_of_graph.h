// SPDX-License-Identifier: Apache-2.0
// Parts of a graph: nodes that are chosen, what lies behind given tensors, what outputs need.
#pragma once

#include <set>
#include <span>
#include <string>

#include "run/graph_names.h"

namespace opref::run {

/// The nodes that `names` mean, each by its name or the name of one of its outputs. Inputs are what they read and none
/// of them gives; outputs what one of several gives and none of them reads, and the graph's own; of one all that it
/// gives. A `usage` error for a name that no node has.
Graph chosen_nodes(const Graph& graph, std::span<const std::string> names);

/// The first node that has the name, or an output of it. A `usage` error where none has; it offers the nearest.
size_t place_of_node(const Graph& graph, std::string_view name);

/// As chosen_nodes, of the node at this place. `names` are the graph's.
Graph node_alone(const Graph& graph, const GraphNames& names, size_t place);

/// Makes inputs of the tensors that are given: nodes that compute nothing else are left out.
void cut_at(Graph& graph, const std::set<std::string>& given);

/// The nodes that `wanted` depend on, in their order; what nodes before the place `begin` give is known. The outputs
/// are `wanted`.
Graph needed_for(const Graph& graph, std::span<const std::string> wanted, size_t begin = 0);

/// What lies between: the nodes that `to` depend on, from `from` on, which are its inputs as far as they are needed,
/// and the graph's own inputs that they need besides. Faults: `usage` where `to` are not computed behind `from`, or one
/// of `from` is not needed.
Graph part_between(const Graph& graph, std::span<const std::string> from, std::span<const std::string> to);

/// Leaves out the inputs that no node reads and that are no outputs.
void drop_unread_inputs(Graph& graph);

}  // namespace opref::run
