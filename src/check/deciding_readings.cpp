// SPDX-License-Identifier: Apache-2.0
#include "check/deciding_readings.h"

#include <algorithm>

#include "core/error.h"
#include "core/memory_limit.h"
#include "explain/explain.h"
#include "run/memory.h"
#include "system/machine_error.h"

namespace opref::check {
namespace {

bool has_values(const Call& call) {
  return std::ranges::all_of(call.inputs(),
                             [](const Input& input) { return input.name.empty() || input.value.has_value(); });
}

/// Whether the node's own operator has the reading, and no node inside it.
bool is_own(const Step& step, std::string_view reading) {
  const std::vector<Reading>& own = step.call.op().readings();
  return std::ranges::find(own, reading, &Reading::name) != own.end();
}

/// Whether an output by this alternative would fail where opref's is right.
bool decides(const Step& step, std::string_view reading, std::string_view alternative, const Environment& environment,
             const Case& loaded, const ToleranceChoice& choice) {
  try {
    const Call other = step.call.with_reading(reading, alternative);
    if (other.op().output_types(other) != step.call.op().output_types(step.call)) return true;
    const std::vector<Value> values = other.op().kernel(other, step.types);
    for (size_t i = 0; i < std::min(values.size(), step.node->outputs.size()); ++i) {
      const std::string& name = step.node->outputs[i];
      const auto ours = environment.find(name);
      if (name.empty() || ours == environment.end() || !ours->second.value) continue;
      const OutputReport report =
          compare_output(loaded, name, values[i], *ours->second.value, Foreign::actual, std::span(&step, 1), choice);
      if (!report.comparison.equal()) return true;
    }
    return false;
  } catch (const Error& error) {
    pass_on(error);
    return true;
  }
}

}  // namespace

void keep_deciding_readings(std::vector<Step>& steps, const Environment& environment, const Case& loaded,
                            const ToleranceChoice& choice) {
  for (Step& step : steps) {
    if (!has_values(step.call)) continue;
    for (ReadingReport& report : step.readings) {
      if (!is_own(step, report.name)) continue;
      for (auto* alternatives : {&report.others, &report.possible})
        std::erase_if(*alternatives, [&](std::string_view alternative) {
          return !decides(step, report.name, alternative, environment, loaded, choice);
        });
    }
    std::erase_if(step.readings,
                  [](const ReadingReport& report) { return report.others.empty() && report.possible.empty(); });
  }
}

std::vector<Step> with_deciding_readings(const Evaluated& evaluated, const ToleranceChoice& choice, double seconds) {
  const std::vector<Step> confirmed = explain::with_confirmed_readings(evaluated, seconds);
  if (std::ranges::all_of(confirmed, [](const Step& step) { return step.readings.empty(); })) return confirmed;
  auto deciding = within(seconds, [&] {
    const MemoryLimit limit(evaluated.ready->bound.options.max_bytes, kBesideRoom);
    std::vector<Step> steps = confirmed;
    keep_deciding_readings(steps, evaluated.environment, *evaluated.ready->bound.read, choice);
    return steps;
  });
  return deciding ? *std::move(deciding) : confirmed;
}

}  // namespace opref::check
