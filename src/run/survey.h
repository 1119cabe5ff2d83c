// SPDX-License-Identifier: Apache-2.0
// What can be said of each node of a model, of operators that are not known too.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "run/evaluate.h"

namespace opref::run {

/// A node with the types that were found out. What lies behind unknown types has none either.
struct SurveyedNode {
  const Node* node;
  std::optional<Step> step;         ///< nothing where the types of its outputs cannot be found out
  std::optional<Version> version;   ///< in force; nothing where it calls a function, or an operator in it is not known
  bool is_known = true;             ///< its operator or function, and all that is in it
  std::string why = {};             ///< there is no step: a sentence
  AttributeValues attributes = {};  ///< there is no step, but a version: those in force
};

/// What a node gives whose types follow from values that nobody knows: a step with types; nothing where that is not
/// found out.
using Draw = std::function<std::optional<Step>(const Node& node)>;

/// Looks at the nodes of a graph, one after another in its order.
class Surveyor {
 public:
  /// All stay as they are, but for what nodes give, which is added to `environment`. With `draw`, a node that lacks
  /// values has its types; where it gives none, only what has no type at all is an error.
  Surveyor(const Graph& graph, Environment& environment, const EvaluationOptions& options, Draw draw = {});
  ~Surveyor();
  Surveyor(const Surveyor&) = delete;
  Surveyor& operator=(const Surveyor&) = delete;
  /// Faults: those of `survey`.
  SurveyedNode look_at(const Node& node);

 private:
  class State;
  std::unique_ptr<State> state_;
};

/// As `infer`, of all nodes: the outputs of one without types have those that the graph declares, as far as it does,
/// else the element types that the operator's page gives them.
/// Faults: those of infer, but for operators that are not known, and of several nodes for what is known only once it is
/// computed.
std::vector<SurveyedNode> survey(const Graph& graph, Environment& environment, const EvaluationOptions& options);

/// Where types end: of how many nodes they are known, and the first whose are not, with the reason; nothing where all
/// are known.
std::optional<std::string> where_types_end(const std::vector<SurveyedNode>& nodes);

}  // namespace opref::run
