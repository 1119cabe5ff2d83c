// SPDX-License-Identifier: Apache-2.0
#include "run/survey.h"

#include <algorithm>
#include <set>

#include "core/error.h"
#include "run/functions.h"
#include "run/graph_names.h"
#include "run/places.h"
#include "run/remedies.h"
#include "run/sound_names.h"
#include "run/version.h"
#include "schema/remedies.h"

namespace opref::run {
namespace {

bool has_open_shape(const ValueType& type) { return type.form == Form::tensor && !type.has_shape; }

}  // namespace

class Surveyor::State {
 public:
  State(const Graph& graph, Environment& environment, const EvaluationOptions& options, Draw draw)
      : graph_(graph),
        names_(graph),
        symbols_(bound_symbols(graph, environment)),
        choices_(options.readings),
        environment_(environment),
        draw_(std::move(draw)),
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
      if (error.fault() != Fault::usage) throw;
      seen.why = error.message();
      if (draw_) seen.step = draw_(node);
      if (seen.step) know_types(*seen.step);
      // What nobody can give is no mistake of the command line.
      const bool is_mistake = draw_ ? error.remedy() == kGiveTypes : error.remedy() != kNoRemedy;
      if (!seen.step && (graph_.nodes.size() == 1 || is_mistake)) throw;
    }
    if (seen.step && draw_ && std::ranges::any_of(seen.step->types, has_open_shape)) close_types(*seen.step);
    if (!seen.step && seen.version)
      seen.attributes = at_place([&] { return place_of(node, &*seen.version); },
                                 [&] { return attributes_in_force(*seen.version, node, choices_); });
  }

  /// Values decide its types, which are drawn.
  void close_types(Step& step) {
    const std::optional<Step> drawn = draw_(*step.node);
    for (size_t k = 0; drawn && k < step.types.size(); ++k)
      if (has_open_shape(step.types[k])) step.types[k] = drawn->types[k];
    if (drawn) know_types(step);
  }

  void know_types(const Step& step) {
    for (size_t k = 0; k < step.node->outputs.size(); ++k) {
      const std::string& output = step.node->outputs[k];
      const auto known = environment_.find(output);
      if (output.empty() || (known != environment_.end() && known->second.type == step.types[k])) continue;
      environment_.insert_or_assign(output, Input{output, step.types[k], {}, {}, true});
    }
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
  const Draw draw_;
  Evaluation evaluation_;
  std::set<std::string, std::less<>> untyped_;  ///< of what nodes without a step give, what is not declared
};

Surveyor::Surveyor(const Graph& graph, Environment& environment, const EvaluationOptions& options, Draw draw)
    : state_(std::make_unique<State>(graph, environment, options, std::move(draw))) {}

Surveyor::~Surveyor() = default;

SurveyedNode Surveyor::look_at(const Node& node) { return state_->look_at(node); }

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
