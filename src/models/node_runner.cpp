// SPDX-License-Identifier: Apache-2.0
#include "models/node_runner.h"

#include <algorithm>

#include "core/error.h"
#include "run/graph_names.h"
#include "run/part_of_graph.h"

namespace opref::models {

NodeRunner::NodeRunner(const Graph& graph, const EvaluationOptions& options) : options_(options) {
  options_.confirm_readings_below = 0;
  options_.repeat = 1;
  options_.after_node = {};
  const GraphNames names(graph);
  for (size_t place = 0; place < graph.nodes.size(); ++place) {
    alone_.push_back(node_alone(graph, names, place));
    const auto read = names_read(graph.nodes[place]);
    reads_.emplace_back(read.begin(), read.end());
  }
}

Environment NodeRunner::environment(size_t place, const ValueOf& value_of) const {
  Environment environment;
  for (const std::string& name : reads_[place]) {
    const Value* value = value_of(name);
    if (value == nullptr) fail(Fault::usage, "'{}' has no value", printable(name));
    environment.emplace(name, Input{name, type_of(*value), *value});
  }
  return environment;
}

bool NodeRunner::has_inputs(size_t place, const ValueOf& value_of) const {
  return std::ranges::all_of(reads_[place], [&](const std::string& name) { return value_of(name) != nullptr; });
}

NodeRunner::Result NodeRunner::run(size_t place, const ValueOf& value_of, std::int64_t held, const Alter& alter) const {
  Environment known = environment(place, value_of);
  const Graph& graph = alone_[place];
  EvaluationOptions options = options_;
  const std::int64_t beside = std::max<std::int64_t>(0, held - HeldBytes(known).total());
  options.max_bytes = std::max<std::int64_t>(0, options_.max_bytes - beside);
  options.alter = alter;
  Evaluation evaluation(graph, known, options, Compute::values);
  Result result{evaluation.evaluate(graph.nodes.front()), {}};
  for (const std::string& name : graph.nodes.front().outputs)
    if (const auto found = known.find(name); !name.empty() && found != known.end() && found->second.value)
      result.values.emplace(name, *found->second.value);
  result.step.call.drop_values();
  return result;
}

Call NodeRunner::call(size_t place, const ValueOf& value_of) const {
  const Graph& graph = alone_[place];
  return resolve_node(graph, graph.nodes.front(), environment(place, value_of), options_);
}

}  // namespace opref::models
