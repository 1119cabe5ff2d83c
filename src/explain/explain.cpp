#include "explain/explain.h"

#include <algorithm>

#include "compare/compare.h"
#include "core/error.h"
#include "explain/mistakes.h"

namespace opref::explain {
namespace {

enum class Match : std::uint8_t { none, by_rule, exact };

/// The weakest match of all outputs.
Match match(const Environment& environment, const std::vector<GivenOutput>& outputs) {
  Match weakest = Match::exact;
  for (const GivenOutput& output : outputs) {
    const auto known = environment.find(output.name);
    if (known == environment.end() || !known->second.value) return Match::none;
    const Value& reference = *known->second.value;
    if (compare_values(output.value, reference, Tolerance{}).equal()) continue;
    // Two values alone have no error bound: there only the exact match counts.
    if (output.tolerance.rule == Tolerance::Rule::bound) return Match::none;
    if (!compare_values(output.value, reference, output.tolerance).equal()) return Match::none;
    weakest = Match::by_rule;
  }
  return weakest;
}

std::string with_rule(std::string text, Match match, const std::vector<GivenOutput>& outputs) {
  return match == Match::exact ? text : format("{} ({})", text, to_text(outputs.front().tolerance));
}

/// The known mistake that gives the outputs exactly; only a graph of one node can show one.
std::string mistake_in(const Evaluated& own, const std::vector<GivenOutput>& outputs) {
  if (own.steps.size() != 1) return "";
  std::vector<Tensor> actual;
  for (const std::string& name : own.steps.front().node->outputs) {
    const auto output = std::ranges::find(outputs, name, &GivenOutput::name);
    if (output == outputs.end() || output->value.tensor() == nullptr) return "";
    actual.push_back(*output->value.tensor());
  }
  const std::string mistake = explain_by_mistakes(own.steps.front(), actual);
  return mistake.empty() || mistake.starts_with("reading ") ? mistake : "mistake " + mistake;
}

std::string explain_now(const std::shared_ptr<const ReadyCase>& ready, const std::vector<GivenOutput>& outputs) {
  const Evaluated own = evaluate(ready, ready->bound.options);
  if (match(own.environment, outputs) == Match::exact) return "opref's own result";
  std::string by_rule;
  for (const auto& [reading, alternative] : other_readings(own.steps)) {
    EvaluationOptions options = ready->bound.options;
    options.readings.insert_or_assign(reading, alternative);
    try {
      const Match found = match(evaluate(ready, options).environment, outputs);
      const std::string text = with_rule(format("reading {}={}", reading, alternative), found, outputs);
      if (found == Match::exact) return text;
      if (found == Match::by_rule && by_rule.empty()) by_rule = text;
    } catch (const Error& error) {  // an alternative may refuse the node
      forgive(*ready, error);
    }
  }
  const std::string mistake = mistake_in(own, outputs);
  return mistake.empty() ? by_rule : mistake;
}

}  // namespace

std::string explain_outputs(const std::shared_ptr<const ReadyCase>& ready, const std::vector<GivenOutput>& outputs,
                            double seconds) {
  const auto explained = within(seconds, [ready, outputs]() -> std::string {
    try {
      return explain_now(ready, outputs);
    } catch (const Error& error) {
      forgive(*ready, error);
      return "";
    }
  });
  return explained.value_or("");
}

}  // namespace opref::explain
