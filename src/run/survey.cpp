// SPDX-License-Identifier: Apache-2.0
#include "run/survey.h"

#include <algorithm>
#include <set>

#include "core/error.h"
#include "run/functions.h"
#include "run/graph_names.h"
#include "run/places.h"
#include "run/sound_names.h"
#include "run/version.h"

namespace opref::run {
namespace {

class Surveyor {
 public:
  Surveyor(const Graph& graph, Environment& environment, const EvaluationOptions& options)
      : graph_(graph),
        names_(graph),
        symbols_(bound_symbols(graph, environment)),
        choices_(options.readings),
        environment_(environment),
        evaluation_(graph, environment, options, Compute::types) {}

  SurveyedNode look_at(const Node& node) {
    SurveyedNode seen{&node, {}, {}};
    const auto unknown = why_unknown(graph_, node);
    seen.is_known = !unknown;
    if (unknown)
      seen.why = *unknown;
    else
      infer_types(seen);
    if (!seen.step) declare_outputs(node);
    return seen;
  }

 private:
  void infer_types(SurveyedNode& seen) {
    const Node& node = *seen.node;
    if (called_function(graph_.opset_import, node, choices_) == nullptr)
      seen.version.emplace(version_in_force(graph_.opset_import, node));
    for (const std::string& name : names_read(node))
      if (untyped_.contains(name)) seen.why = format("the type of '{}' is not known", printable(name));
    try {
      if (seen.why.empty()) seen.step = evaluation_.evaluate(node);
    } catch (const Error& error) {
      // What nobody can give is no mistake of the command line.
      if (graph_.nodes.size() == 1 || error.fault() != Fault::usage || error.remedy() != kNoRemedy) throw;
      seen.why = error.message();
    }
    if (!seen.step && seen.version)
      seen.attributes = at_place([&] { return place_of(node, &*seen.version); },
                                 [&] { return attributes_in_force(*seen.version, node); });
  }

  void declare_outputs(const Node& node) {
    for (const std::string& output : node.outputs) {
      if (output.empty()) continue;
      const ValueInfo* info = names_.declaration(output);
      if (info == nullptr || !info->dtype) {
        untyped_.insert(output);
        continue;
      }
      Input known{output, ValueType(info->form, *info->dtype), {}, {}};
      known.is_computed = true;
      if (const auto shape = declared_shape(*info, symbols_)) known.type = TensorType{*info->dtype, *shape};
      environment_.insert_or_assign(output, std::move(known));
    }
  }

  const Graph& graph_;
  const GraphNames names_;
  const Symbols symbols_;
  const ReadingChoices& choices_;
  Environment& environment_;
  Evaluation evaluation_;
  std::set<std::string, std::less<>> untyped_;  ///< of what nodes without a step give, what is not declared
};

}  // namespace

std::vector<SurveyedNode> survey(const Graph& graph, Environment& environment, const EvaluationOptions& options) {
  require_known_readings(graph, options.readings);
  std::set<std::string_view> names;
  for (const auto& [name, known] : environment) names.insert(name);
  require_sound_names(graph, names);
  std::vector<SurveyedNode> nodes;
  Surveyor surveyor(graph, environment, options);
  for (const Node& node : graph.nodes) nodes.push_back(surveyor.look_at(node));
  require_declared_outputs(graph, environment);
  return nodes;
}

std::optional<std::string> where_types_end(const std::vector<SurveyedNode>& nodes) {
  const auto has_types = [](const SurveyedNode& seen) { return seen.step.has_value(); };
  const auto first = std::ranges::find_if_not(nodes, has_types);
  if (first == nodes.end()) return std::nullopt;
  return format("the types of {} of {} are known; the first without them is number {}, {}: {}",
                std::ranges::count_if(nodes, has_types), counted(std::ssize(nodes), "node"), first - nodes.begin() + 1,
                to_text(*first->node), first->why);
}

}  // namespace opref::run
