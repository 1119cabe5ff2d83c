// SPDX-License-Identifier: Apache-2.0
// From a case as it was read to the graph that is evaluated, with a source for each of its inputs.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "io/case.h"
#include "run/evaluate.h"
#include "run/names.h"

namespace opref::run {

/// What a user says of a node, beside its tensors.
struct NodeOptions {
  std::vector<std::string> attributes;  ///< "NAME=VALUE": added to the node, or instead of what the file states
  std::vector<std::string> nodes;       ///< of several, these, by their names or outputs; empty: all
  std::optional<std::int64_t> opset;    ///< instead of what the file states
  ReadingChoices readings = {};         ///< before those of the case
  bool takes_unknown = false;           ///< an only node of a graph may be one of an operator that is not known
};

/// A case with all that was said of it.
struct Bound {
  std::shared_ptr<const Case> read;  ///< as the file says it
  Graph graph;  ///< what is evaluated: inputs and outputs have names; attributes and opsets are those in force
  std::vector<NamedSource> inputs;         ///< what is given of the graph's tensors
  std::vector<NamedSource> expected;       ///< of the graph's outputs
  std::vector<std::string> other_tensors;  ///< where nodes of a graph were picked: names of the graph's other tensors
  const OpSchema* schema = nullptr;        ///< in force, of an only node; null where that has none
  EvaluationOptions options;               ///< with the readings that are chosen
};

/// Applies the options, and binds NAME=… to the names of the graph, or of the only node's parameters (see
/// parse_binding), instead of tensors that come with the case. A name that several nodes compute and read cuts the
/// graph there (cut_at).
///
/// The node of a JSON case or a bare operator gets its names here. Its inputs are those that something is bound to, by
/// the specification's names, "" standing between them for one that is left out; a bare operator asks for what it
/// requires besides. The tensors of a variadic parameter are named inputs_0, inputs_1, …: a case lists them, an
/// argument repeats its name. Its outputs are those that the case states; else what it expects and what the operator
/// always gives; where nothing is expected all, of a variadic one the first (but see want_only).
///
/// Of picked nodes, what constant nodes give them has its value.
///
/// Faults: `usage`; `invalid` for names of a case that the specification does not have; of one node with arguments also
/// those of require_known_operators.
Bound bind_case(std::shared_ptr<const Case> read, std::span<const std::string> arguments = {},
                const NodeOptions& options = {});
Bound bind_case(Case read, std::span<const std::string> arguments = {}, const NodeOptions& options = {});

/// Inputs and outputs of a graph that is only a list of nodes: what no node gives, and what no node takes.
void name_graph_inputs_and_outputs(Graph& graph);

/// Leaves of several nodes those that `outputs` depend on, or where none are named the graph's outputs.
void keep_needed(Bound& bound, std::span<const std::string> outputs);

/// Of a case that neither states nor expects outputs: its node gives no optional output but these; where none is named,
/// and it has no others, all.
void want_only(Bound& bound, std::span<const std::string> outputs);

/// NAME=FILE (.npy, .npz:member, .pb), NAME:DTYPE=FILE, NAME:DTYPE[DIMS]=FILE (raw bytes), NAME=[[1,2]]:DTYPE,
/// NAME=DTYPE[DIMS] (a type without values) or NAME=DTYPE[DIMS]:GENERATOR[:SEED]. NAME is the longest name of the
/// graph, or for one node of its operator's parameters, that the argument begins with, or "@2" for the second of them.
/// Faults: `usage`.
NamedSource parse_binding(const Bound& bound, std::string_view given, Names names);

/// The tensor of the graph that `name` means: the graph's own name first, then the operator's formal one.
std::optional<std::string> known_tensor(const Bound& bound, std::string_view name, Names names);

/// The `usage` error for a name that known_tensor does not know; it offers the nearest.
[[noreturn]] void unknown_tensor(const Bound& bound, std::string_view name, Names names);

}  // namespace opref::run
