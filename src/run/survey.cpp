// SPDX-License-Identifier: Apache-2.0
#include "run/survey.h"

#include <algorithm>
#include <set>

#include "core/error.h"
#include "run/memory.h"
#include "run/sound_names.h"
#include "run/version.h"

namespace opref::run {
namespace {

class Surveyor {
 public:
  Surveyor(const Graph& graph, Environment& environment, const EvaluationOptions& options)
      : graph_(graph), environment_(environment), held_(environment), options_(options) {}

  SurveyedNode look_at(const Node& node) {
    SurveyedNode seen{&node, {}};
    if (const auto unknown = why_unknown(graph_, node)) {
      seen.is_known = false;
      seen.why = *unknown;
    } else {
      infer_types(seen);
    }
    if (!seen.step) declare_outputs(node);
    return seen;
  }

 private:
  void infer_types(SurveyedNode& seen) {
    bool is_open = false;
    for (const std::string& name : names_read(*seen.node)) {
      is_open |= uncertain_.contains(name);
      if (!uncertain_.contains(name) || environment_.contains(name)) continue;
      seen.why = format("the type of '{}' is not known", printable(name));
      return;
    }
    try {
      seen.step = infer_node(graph_, *seen.node, environment_, held_, options_);
    } catch (const Error& error) {
      if (!is_open || error.fault() != Fault::usage) throw;
      seen.why = error.message();
    }
  }

  void declare_outputs(const Node& node) {
    for (const std::string& output : node.outputs) {
      if (output.empty()) continue;
      uncertain_.insert(output);
      const ValueInfo* info = declaration(graph_, output);
      if (info == nullptr || !info->dtype) continue;
      Input known{output, ValueType(info->form, *info->dtype), {}, {}};
      known.is_computed = true;
      const auto has_size = [](const DeclaredDim& dim) { return dim.size.has_value(); };
      if (info->form == Form::tensor && info->dims && std::ranges::all_of(*info->dims, has_size)) {
        Dims shape;
        for (const DeclaredDim& dim : *info->dims) shape.push_back(*dim.size);
        known.type = TensorType{*info->dtype, shape};
      }
      environment_.insert_or_assign(output, std::move(known));
    }
  }

  const Graph& graph_;
  Environment& environment_;
  HeldBytes held_;  ///< what the environment's values take
  const EvaluationOptions& options_;
  std::set<std::string, std::less<>> uncertain_;  ///< what nodes without a step give
};

void require_outputs_given(const Graph& graph, const Environment& environment) {
  std::set<std::string_view> given;
  for (const Node& node : graph.nodes) given.insert(node.outputs.begin(), node.outputs.end());
  for (const ValueInfo& output : graph.outputs)
    if (!given.contains(output.name) && !environment.contains(output.name))
      fail(Fault::malformed, "no node gives the graph's output '{}'", printable(output.name));
}

}  // namespace

std::vector<SurveyedNode> survey(const Graph& graph, Environment& environment, const EvaluationOptions& options) {
  require_known_readings(graph, options.readings);
  std::set<std::string_view> names;
  for (const auto& [name, known] : environment) names.insert(name);
  require_sound_names(graph, names);
  std::vector<SurveyedNode> nodes;
  Surveyor surveyor(graph, environment, options);
  for (const Node& node : graph.nodes) nodes.push_back(surveyor.look_at(node));
  require_outputs_given(graph, environment);
  return nodes;
}

}  // namespace opref::run
