#include <algorithm>

#include "check/compare.h"
#include "check/evaluated.h"
#include "check/mistakes.h"
#include "core/error.h"
#include "run/load_inputs.h"

namespace opref {
namespace {

Evaluated evaluate_now(const std::shared_ptr<const ReadyCase>& ready, const EvaluationOptions& options) {
  Evaluated evaluated{ready, {}, {}, {}};
  evaluated.warnings = ready->bound.read->warnings;
  evaluated.environment = load_inputs(ready->bound, options, evaluated.warnings);
  evaluated.steps = run(ready->bound.graph, evaluated.environment, options);
  return evaluated;
}

enum class Match : std::uint8_t { none, by_rule, exact };

/// The weakest match of all outputs.
Match match(const Environment& environment, const std::vector<GivenOutput>& outputs) {
  Match weakest = Match::exact;
  for (const GivenOutput& output : outputs) {
    const auto known = environment.find(output.name);
    if (known == environment.end() || !known->second.value) return Match::none;
    const Value& reference = *known->second.value;
    if (compare(output.value, reference, Tolerance{}).equal()) continue;
    // Two values alone have no error bound: there only the exact match counts.
    if (output.tolerance.rule == Tolerance::Rule::bound) return Match::none;
    if (!compare(output.value, reference, output.tolerance).equal()) return Match::none;
    weakest = Match::by_rule;
  }
  return weakest;
}

std::string with_rule(std::string text, Match match, const std::vector<GivenOutput>& outputs) {
  return match == Match::exact ? text : format("{} ({})", text, outputs.front().tolerance);
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
  const Evaluated own = evaluate_now(ready, ready->bound.options);
  if (match(own.environment, outputs) == Match::exact) return "opref's own result";
  std::string by_rule;
  for (const auto& [reading, alternative] : other_readings(own.steps)) {
    EvaluationOptions options = ready->bound.options;
    options.readings.insert_or_assign(reading, alternative);
    try {
      const Match found = match(evaluate_now(ready, options).environment, outputs);
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

Evaluated evaluate(const std::shared_ptr<const ReadyCase>& ready, double seconds) {
  return in_time(seconds, "evaluate this", [ready] { return evaluate_now(ready, ready->bound.options); });
}

void forgive(const ReadyCase& ready, const Error& error) {
  if (error.fault() == Fault::internal) throw;
  if (is_memory_limit(error)) *ready.lacks_memory = true;
}

bool is_bound(const Case& loaded, const ToleranceChoice& choice) {
  return choice.rule.value_or(loaded.tolerance.value_or(Tolerance{})).rule == Tolerance::Rule::bound;
}

std::vector<Step> with_confirmed_readings(const Evaluated& evaluated, double seconds) {
  const auto open = [](const Step& step) {
    return std::ranges::any_of(step.readings, [](const ReadingReport& report) { return !report.possible.empty(); });
  };
  if (std::ranges::none_of(evaluated.steps, open)) return evaluated.steps;
  auto confirmed = within(seconds, [evaluated] {
    std::vector<Step> steps = evaluated.steps;
    try {
      confirm_readings(steps, evaluated.environment);
    } catch (const Error& error) {  // no memory for the other result, …
      forgive(*evaluated.ready, error);
    }
    return steps;
  });
  return confirmed ? *std::move(confirmed) : evaluated.steps;
}

std::vector<std::pair<std::string, std::string>> other_readings(std::span<const Step> steps) {
  std::vector<std::pair<std::string, std::string>> others;
  for (const Step& step : steps)
    for (const ReadingReport& reading : step.readings)
      for (const auto* alternatives : {&reading.others, &reading.possible})
        for (const std::string_view alternative : *alternatives) {
          std::pair<std::string, std::string> other(reading.name, alternative);
          if (std::ranges::find(others, other) == others.end()) others.push_back(std::move(other));
        }
  return others;
}

std::string explain(const std::shared_ptr<const ReadyCase>& ready, const std::vector<GivenOutput>& outputs,
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

}  // namespace opref
