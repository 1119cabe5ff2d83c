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
    if (!seen.step) declare_outputs(seen);
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
                                 [&] { return attributes_in_force(*seen.version, node, choices_); });
  }

  void declare_outputs(const SurveyedNode& seen) {
    for (size_t k = 0; k < seen.node->outputs.size(); ++k) {
      const std::string& output = seen.node->outputs[k];
      if (output.empty()) continue;
      const std::optional<ValueType> type = declared_type(output);
      const std::optional<ValueType> known = type ? type : type_by_page(seen, k);
      if (!known) {
        untyped_.insert(output);
        continue;
      }
      environment_.insert_or_assign(output, Input{output, *known, {}, {}, true});
    }
  }

  std::optional<ValueType> declared_type(const std::string& output) const {
    const ValueInfo* info = names_.declaration(output);
    if (info == nullptr || !info->dtype) return std::nullopt;
    if (const auto shape = declared_shape(*info, symbols_)) return TensorType{*info->dtype, *shape};
    return ValueType(info->form, *info->dtype, info->key);
  }

  /// Without a shape: the type of an input that has the output's type variable, or the only one that an output may
  /// have.
  std::optional<ValueType> type_by_page(const SurveyedNode& seen, size_t output) const {
    if (!seen.version || output >= seen.version->schema.most_outputs()) return std::nullopt;
    const OpSchema& schema = seen.version->schema;
    const FormalParameter& formal = OpSchema::formal(schema.outputs(), output);
    if (formal.arity == Arity::heterogeneous || formal.arity == Arity::heterogeneous_or_none) return std::nullopt;
    for (size_t i = 0; i < std::min(seen.node->inputs.size(), schema.most_inputs()); ++i)
      if (const auto input = environment_.find(seen.node->inputs[i]);
          input != environment_.end() && OpSchema::formal(schema.inputs(), i).type == formal.type)
        return ValueType(input->second.type.form, input->second.type.dtype(), input->second.type.key);
    const std::vector<DType> dtypes = schema.types_of(formal).dtypes();
    if (dtypes.size() == 1 && schema.types_of(formal) == Types(dtypes.front()))
      return ValueType::of_unknown_shape(dtypes.front());
    return std::nullopt;
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
