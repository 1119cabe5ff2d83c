// SPDX-License-Identifier: Apache-2.0
#include "explain/explain.h"

#include <algorithm>
#include <array>
#include <span>
#include <utility>

#include "compare/compare.h"
#include "core/error.h"
#include "core/memory_limit.h"
#include "explain/mistakes.h"
#include "run/memory.h"

namespace opref::explain {
namespace {

enum class Match : std::uint8_t { none, by_rule, exact };

/// The output's rule; instead of the bound, which two values alone do not have, ONNX's for backends.
Tolerance rule_of(const GivenOutput& output) {
  const Tensor* actual = output.value.tensor();
  const bool has_bound = output.tolerance.rule == Tolerance::Rule::bound && actual != nullptr;
  return has_bound ? compare::onnx_rule(actual->dtype()) : output.tolerance;
}

/// The weakest match of all outputs.
Match match(const Environment& environment, const std::vector<GivenOutput>& outputs) {
  Match weakest = Match::exact;
  for (const GivenOutput& output : outputs) {
    const auto known = environment.find(output.name);
    if (known == environment.end() || !known->second.value) return Match::none;
    const Value& reference = *known->second.value;
    if (compare_values(output.value, reference, Tolerance{}).equal()) continue;
    if (!compare_values(output.value, reference, rule_of(output)).equal()) return Match::none;
    weakest = Match::by_rule;
  }
  return weakest;
}

/// Beside readings alone: only a graph of one node can show it.
Explanation explain_only_step(const Evaluated& own, const std::vector<GivenOutput>& outputs,
                              const CanReturn& can_return) {
  if (own.steps.size() != 1) return {.complete = true};
  std::vector<Tensor> actual;
  std::vector<Tolerance> rules;
  std::vector<size_t> places;
  const std::vector<std::string>& names = own.steps.front().node->outputs;
  for (size_t place = 0; place < names.size(); ++place) {
    const auto output = std::ranges::find(outputs, names[place], &GivenOutput::name);
    if (names[place].empty() || output == outputs.end()) continue;
    if (output->value.tensor() == nullptr) return {.complete = true};
    actual.push_back(*output->value.tensor());
    rules.push_back(rule_of(*output));
    places.push_back(place);
  }
  if (actual.empty()) return {};
  return explain_step(own.steps.front(), actual, rules, places, can_return);
}

/// Readings by how well they fit.
class Fits {
 public:
  void add(Match match, const Cause& cause) {
    std::vector<Cause>& list = match == Match::exact ? exact_ : by_rule_;
    if (match != Match::none && list.size() < kMostEqual) list.push_back(cause);
  }
  bool none() const { return exact_.empty() && by_rule_.empty(); }
  bool is_exact() const { return !exact_.empty(); }
  Explanation best(const std::vector<GivenOutput>& outputs) const {
    if (!exact_.empty()) return {.causes = exact_, .complete = true};
    return {.causes = by_rule_,
            .within = by_rule_.empty() ? "" : compare::to_text(rule_of(outputs.front())),
            .complete = true};
  }

 private:
  std::vector<Cause> exact_, by_rule_;
};

/// A reading and its alternative.
using Choice = std::pair<std::string, std::string>;

Cause reading_cause(const std::vector<Step>& steps, std::span<const Choice> choices) {
  Cause cause{Cause::Kind::reading, choices.size() == 1 ? "reading " : "readings ", "", ""};
  bool is_first = true;
  for (const auto& [reading, alternative] : choices) {
    const std::string meaning = std::exchange(cause.meaning, "");
    for (const Step& step : steps) describe_reading(cause, step.call.op(), reading);
    if (!meaning.empty()) cause.meaning = format("{}; {}", meaning, cause.meaning);
    cause.name += format("{}{}={}", is_first ? "" : ", ", reading, alternative);
    is_first = false;
  }
  return cause;
}

/// Two readings at a time are many evaluations.
bool is_small(const std::vector<GivenOutput>& outputs) {
  constexpr std::int64_t kMostBytes = std::int64_t{1} << 18;
  std::int64_t bytes = 0;
  for (const GivenOutput& output : outputs) bytes += byte_size(output.value);
  return bytes <= kMostBytes;
}

Explanation explain_now(const std::shared_ptr<const ReadyCase>& ready, const std::vector<GivenOutput>& outputs,
                        const CanReturn& can_return) {
  const std::int64_t most = ready->bound.options.max_bytes;
  const MemoryLimit limit(most > INT64_MAX / 2 ? INT64_MAX : 2 * most, kBesideRoom);  // two results at a time
  const Evaluated own = evaluate(ready, ready->bound.options);
  Fits fits;
  const std::string link(own.steps.empty() ? "" : own.steps.front().call.op().link());
  // Within the rule it would be no cause: what differs from it by a rule of relative errors may be within it all the
  // same.
  const Match right = match(own.environment, outputs);
  if (right == Match::exact)
    fits.add(Match::exact, {Cause::Kind::reading, "opref's own result",
                            "what the case expects is not what the specification says", link});
  const auto others = other_readings(own.steps);
  const auto add = [&](std::span<const Choice> choices) {
    EvaluationOptions options = ready->bound.options;
    for (const auto& [reading, alternative] : choices) options.readings.insert_or_assign(reading, alternative);
    try {
      const Match with = match(evaluate(ready, options).environment, outputs);
      // A rule by which the right result fits, too, says nothing of another one.
      if (with == Match::exact || right == Match::none) fits.add(with, reading_cause(own.steps, choices));
    } catch (const Error& error) {  // an alternative may refuse the node
      forgive(*ready, error);
    }
  };
  for (const Choice& other : others) add({&other, 1});
  if (fits.none() && is_small(outputs))
    for (size_t i = 0; i < others.size(); ++i)
      for (size_t k = 0; k < i; ++k)
        if (others[i].first != others[k].first) add(std::array{others[k], others[i]});
  if (fits.is_exact()) return fits.best(outputs);
  const Explanation beside = explain_only_step(own, outputs, can_return);
  const bool reproduces = !beside.causes.empty() && beside.within.empty();
  return fits.none() || reproduces ? beside : fits.best(outputs);  // bits say more than a rule
}

}  // namespace

Explanation explain_outputs(const std::shared_ptr<const ReadyCase>& ready, const std::vector<GivenOutput>& outputs,
                            double seconds, const CanReturn& can_return) {
  const auto explained = within(seconds, [&]() -> Explanation {
    try {
      return explain_now(ready, outputs, can_return);
    } catch (const Error& error) {
      forgive(*ready, error);
      return {};
    }
  });
  return explained.value_or(Explanation{});
}

}  // namespace opref::explain
