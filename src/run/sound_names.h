// SPDX-License-Identifier: Apache-2.0
// Whether the names of a graph's values are sound.
#pragma once

#include <set>
#include <string_view>

#include "run/evaluate.h"
#include "schema/node.h"

namespace opref::run {

/// Each name is given once, before it is read; inside subgraphs none hides one of those around. Each output is given.
/// `bound` are names that have values before the first node. Faults: `malformed`, at the node.
void require_sound_names(const Graph& graph, const std::set<std::string_view>& bound);
/// The same of the graphs inside one of the graph's nodes, and of functions.
void require_sound_names(const Graph& graph, const Node& node, const std::set<std::string_view>& bound);

/// What is known of a graph's output after its last node. A `malformed` error where no node gives it.
const Input& output_of(const Environment& environment, std::string_view name);

/// An optional without an element has the form that is declared: the value alone does not tell whether its element
/// would be a tensor or a sequence.
void take_declared_form(const ValueInfo& declared, const Value& value, ValueType& type);

/// An `invalid` error unless the type is the declared one, but for the shape.
void require_declared_type(const ValueInfo& declared, const ValueType& type);
/// The same of the graph's outputs that are known after its last node, also of inputs and initializers.
void require_declared_outputs(const Graph& graph, const Environment& environment);

/// A `malformed` error where the graph has none; where an operator is why, which is not known or not in its opset, that
/// one.
void require_an_output(const Graph& graph);

}  // namespace opref::run
