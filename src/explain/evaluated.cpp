// SPDX-License-Identifier: Apache-2.0
#include "explain/evaluated.h"

#include <algorithm>

#include "core/memory_limit.h"
#include "run/load_inputs.h"
#include "run/memory.h"
#include "system/machine_error.h"

namespace opref::explain {

Evaluated evaluate(const std::shared_ptr<const ReadyCase>& ready, const EvaluationOptions& options) {
  Evaluated evaluated{ready, {}, {}, {}};
  evaluated.warnings = ready->bound.read->warnings;
  evaluated.environment = load_inputs(ready->bound, options, evaluated.warnings);
  EvaluationOptions judged = options;
  judged.keep = Keep::judged;
  evaluated.steps = run_graph(ready->bound.graph, evaluated.environment, judged);
  return evaluated;
}

Evaluated evaluate(const std::shared_ptr<const ReadyCase>& ready, double seconds) {
  return in_time(seconds, "evaluate this", [&] { return evaluate(ready, ready->bound.options); });
}

void forgive(const ReadyCase& ready, const Error& error) {
  pass_on(error);
  if (error.remedy() == kMoreMemory) *ready.lacks_memory = true;
}

std::vector<Step> with_confirmed_readings(const Evaluated& evaluated, double seconds) {
  const auto open = [](const Step& step) {
    return std::ranges::any_of(step.readings, [](const ReadingReport& report) { return !report.possible.empty(); });
  };
  if (std::ranges::none_of(evaluated.steps, open)) return evaluated.steps;
  auto confirmed = within(seconds, [&] {
    std::vector<Step> steps = evaluated.steps;
    try {
      const MemoryLimit limit(evaluated.ready->bound.options.max_bytes, kBesideRoom);
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

}  // namespace opref::explain
