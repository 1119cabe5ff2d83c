// SPDX-License-Identifier: Apache-2.0
// Which opset is in force for a node, and the version of its operator that it means.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "ops/operators.h"
#include "schema/node.h"

namespace opref::run {

/// The operator of a node; null for an unknown one.
const Operator* operator_of(const OpsetImport& opsets, const Node& node);

/// Finds the operators of the graph's nodes, of those in subgraphs, and of those in functions: each once.
void find_operators(Graph& graph);

/// The function's opsets, or where it states none those around it; functions and operators are those around it.
OpsetImport imports_of(const Function& function, const OpsetImport& around);

/// What is stated for the node's domain, else the newest known, of openvino opset1. Faults: `unsupported` for one that
/// is newer than opref knows; `invalid` where other domains are stated, but this one is not.
std::int64_t opset_in_force(const OpsetImport& opsets, const Node& node);

/// The operator, in the version of the opset in force. Faults: those of opset_in_force; `unsupported` for an unknown
/// operator, which of a model with functions may be meant to be one; `invalid` for an opset below its first version.
Version version_in_force(const OpsetImport& opsets, const Node& node);

/// The same; nothing where there is an error, or the node calls a function.
std::optional<Version> find_version(const OpsetImport& opsets, const Node& node);

/// The schema by which a node may be read whose opset is not checked: of an opset before the first version, the first.
/// Null for an unknown operator.
const OpSchema* schema_or_first(const OpsetImport& opsets, const Node& node, std::int64_t opset);

/// States the opset of ai.onnx, or of the domains of the graph's nodes where none is of it, instead of what its file
/// states.
void override_opset(Graph& graph, std::int64_t opset);

/// Finds the version of each node, those of subgraphs and of the functions that they call too; the first trouble is the
/// error, at its node. Needs no tensors: says cheaply whether a graph can be evaluated at all.
void require_known_operators(const Graph& graph);
void require_known_operators(const Graph& graph, const Node& node);
/// The same; of an operator that is not known among others the way out names the nodes that are, to be picked.
void require_known_or_pick(const Graph& graph);

/// Why a node of the graph cannot be evaluated: the sentence about its operator, or one in its subgraphs, that is not
/// known; nothing where all are.
std::optional<std::string> why_unknown(const Graph& graph, const Node& node);

}  // namespace opref::run
