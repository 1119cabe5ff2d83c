// SPDX-License-Identifier: Apache-2.0
// Evaluates single nodes of a graph, in any order and as often as wanted.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "models/room.h"
#include "run/evaluate.h"
#include "run/memory.h"
#include "schema/node.h"

namespace opref::models {

/// Values of a graph's tensors, by their names.
using Values = std::map<std::string, Value, std::less<>>;

/// The value of a name; null where it has none.
using ValueOf = std::function<const Value*(const std::string& name)>;

/// What becomes of the values that a node gives, before anybody reads them.
using Alter = std::function<void(const Step& step, std::vector<Value>& values)>;

class NodeRunner {
 public:
  /// The graph lives longer.
  NodeRunner(const Graph& graph, const EvaluationOptions& options);

  struct Result {
    Step step;  ///< without values
    Values values;
  };
  /// Whether all that the node reads has a value.
  bool has_inputs(size_t place, const ValueOf& value_of) const;
  /// What the node at this place of the graph gives, while `held` bytes of values live, with those that it reads.
  /// Faults: those of run_graph; `usage` where something that it reads has no value.
  Result run(size_t place, const ValueOf& value_of, std::int64_t held, const Alter& alter = {}) const;
  /// The call of the node with these values.
  Call call(size_t place, const ValueOf& value_of) const;
  const std::vector<std::string>& reads(size_t place) const { return reads_[place]; }

 private:
  Environment environment(size_t place, const ValueOf& value_of) const;

  EvaluationOptions options_;
  std::vector<Graph> alone_;  ///< by place
  std::vector<std::vector<std::string>> reads_;
};

}  // namespace opref::models
