// SPDX-License-Identifier: Apache-2.0
// One node of a graph with the values that it reads: a case of its own.
#pragma once

#include <filesystem>
#include <span>
#include <string>

#include "run/bind.h"
#include "run/graph_names.h"

namespace opref::run {

/// The nodes of a case's graph, each as a case of its own: what all need of the graph is found once.
class NodeCases {
 public:
  /// `whole` stays as it is, and lives longer.
  explicit NodeCases(const Bound& whole);

  /// The node at this place, with the values that `known` has of all that it reads. What the whole case holds beside
  /// its inputs, and what nodes give that read nothing, are initializers, as far as they are tensors and the node is
  /// one of ONNX; all else are inputs. Readings are those chosen of the node's operator. A `usage` error where
  /// something that it reads has no value.
  Bound at(size_t place, const Environment& known) const;
  /// The whole graph's.
  const GraphNames& names() const { return names_; }

 private:
  const Bound& whole_;
  const GraphNames names_;
  std::set<std::string_view> constants_;  ///< what no input decides
};

/// What the nodes before this one give it, as they are evaluated; with what the whole case is given.
Environment values_before(const Bound& whole, size_t place);

/// What the whole holds beside its inputs, its weights, as far as nodes of a part of its graph read it.
std::vector<NamedSource> held_by(const Bound& whole, const Graph& part);

/// The same as values_before of these tensors.
Environment values_of(const Bound& whole, std::span<const std::string> tensors);

/// A part of the whole's graph as a case: its inputs with the values that `known` has of them, and of what the whole
/// holds beside its inputs all that the part reads. A `usage` error where an input has no value.
Bound part_case(const Bound& whole, Graph part, const Environment& known);

/// Writes the case with what `expected` has of its outputs into `folder`, which comes to be with all that is in it. A
/// `usage` error where something is there already, unless it is an empty folder.
void write_node_case(const Bound& alone, const Environment& expected, const std::filesystem::path& folder);

}  // namespace opref::run
