// SPDX-License-Identifier: Apache-2.0
// What can be said of each node of a model, of operators that are not known too.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "run/evaluate.h"

namespace opref::run {

/// A node with the types that were found out. What lies behind unknown types has none either.
struct SurveyedNode {
  const Node* node;
  std::optional<Step> step;  ///< nothing where the types of its outputs cannot be found out
  bool is_known = true;      ///< its operator, and all in its subgraphs
  std::string why = {};      ///< there is no step: a sentence
};

/// As `infer`, of all nodes: the outputs of one that is not known have the types that the graph declares, as far as it
/// does. Faults: those of infer, but for operators that are not known and what is missing because of them.
std::vector<SurveyedNode> survey(const Graph& graph, Environment& environment, const EvaluationOptions& options);

}  // namespace opref::run
