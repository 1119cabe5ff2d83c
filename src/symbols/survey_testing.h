// SPDX-License-Identifier: Apache-2.0
// For tests of surveys.
#pragma once

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "core/error.h"
#include "run/load_case.h"
#include "run/load_inputs.h"
#include "symbols/open_inputs.h"
#include "symbols/survey.h"

namespace opref::symbols {

/// What a survey of a model, or of an operator, says.
class Found {
 public:
  explicit Found(const std::string& model, const std::vector<std::string>& arguments = {},
                 const SurveyOptions& options = {}, const NodeOptions& node = {})
      : Found(bind_case(read_case(model), arguments, node), options) {}
  /// Some of the inputs have symbols.
  explicit Found(Bound bound, SurveyOptions options) : bound_(std::move(bound)) {
    bound_.options.generate = false;
    OpenInputs open = take_open_inputs(bound_);
    for (const NamedSymbol& symbol : open.symbols) names_.push_back(symbol.name);
    options.bounds.resize(names_.size());
    Trials trials(bound_, std::move(open.inputs));
    survey_ = opref::symbols::survey(trials, names_, options);
  }

  const SymbolicSurvey& survey() const { return survey_; }
  const std::vector<std::string>& names() const { return names_; }

  std::string type(const std::string& name) const {
    const auto found = survey_.tensors.find(name);
    if (found == survey_.tensors.end()) return "not there";
    return found->second.sizes ? to_text(std::span<const Size>(*found->second.sizes)) : found->second.why;
  }

  /// "H >= 35 (Conv 'c')"
  std::vector<std::string> rules() const {
    std::vector<std::string> texts;
    for (const Rule& rule : survey_.rules)
      texts.push_back(
          format("{} ({})", rule.text, rule.node == kNoNode ? "declared" : label(bound_.graph.nodes[rule.node])));
    return texts;
  }

  /// Tensors whose sizes are others than concrete inference says, at sizes by which all rules hold.
  std::vector<std::string> wrong_at(int count) const {
    Sampler sampler(std::vector<Bounds>(names_.size()), 977);
    Bound bound = bound_;
    std::vector<std::string> wrong;
    std::vector<OpenInput> inputs;
    for (const auto& [name, tensor] : survey_.tensors)
      if (const auto given = std::ranges::find(bound_.inputs, name, &NamedSource::name);
          given != bound_.inputs.end() && tensor.sizes) {
        OpenInput& input = inputs.emplace_back(OpenInput{name, given->source.dtype.value(), {}});
        for (const Size& size : *tensor.sizes) input.sizes.push_back(*size);
      }
    constexpr std::array kStyles = {Style::small, Style::middle, Style::large, Style::blocks, Style::mixed};
    for (int k = 0, tried = 0; tried < count && k < 200 * count; ++k) {
      const Assignment sizes = sampler.draw(kStyles[static_cast<size_t>(k) % kStyles.size()]);
      if (!std::ranges::all_of(survey_.conditions, [&](const Condition& one) { return one.holds(sizes); })) continue;
      ++tried;
      for (const OpenInput& input : inputs) {
        Dims shape;
        for (const Expression& size : input.sizes) shape.push_back(size.at(sizes));
        std::ranges::find(bound.inputs, input.name, &NamedSource::name)->source.shape = shape;
      }
      std::vector<std::string> warnings;
      Environment environment = load_inputs(bound, bound.options, warnings);
      try {
        opref::run::survey(bound.graph, environment, bound.options);
      } catch (const Error& error) {
        // Types alone may not do where values were drawn; and some refusals are told without a rule.
        if (error.fault() != Fault::usage && survey_.open.empty())
          wrong.push_back(format("refused: {}", error.message()));
        continue;
      }
      for (const auto& [name, tensor] : survey_.tensors) {
        const auto known = environment.find(name);
        if (!tensor.sizes || known == environment.end() || !known->second.type.has_shape) continue;
        const Dims& shape = known->second.type.tensor.shape;
        bool same = shape.size() == tensor.sizes->size();
        for (size_t axis = 0; same && axis < shape.size(); ++axis) {
          const Size& size = (*tensor.sizes)[axis];
          const bool is_own = size && (size->places().empty() || size->places().back() < names_.size());
          same = !is_own || size->at(sizes) == shape[axis];
        }
        if (!same) wrong.push_back(format("{} is {}, not {}", name, shape, type(name)));
      }
    }
    return wrong;
  }

 private:
  Bound bound_;
  std::vector<std::string> names_;
  SymbolicSurvey survey_;
};

}  // namespace opref::symbols
