// SPDX-License-Identifier: Apache-2.0
#include "check/tiers.h"

#include <algorithm>
#include <optional>

#include "check/record.h"
#include "run/memory.h"
#include "system/machine_error.h"

namespace opref::check {
namespace {

Evaluated evaluated_exactly(const Evaluated& ordinary, double seconds) {
  EvaluationOptions options = ordinary.ready->bound.options;
  options.exact_only = true;
  options.confirm_readings_below = 0;
  options.max_bytes = std::max<std::int64_t>(0, options.max_bytes - HeldBytes(ordinary.environment).total());
  return in_time(seconds, "evaluate this by the exact tier alone", [&] { return evaluate(ordinary.ready, options); });
}

void fails(CaseRecord& record, std::string reason) {
  record.verdict = Verdict::fail;
  record.reason = std::move(reason);
}

}  // namespace

std::vector<OutputReport> other_bytes(const Evaluated& ordinary, const Evaluated& exact) {
  constexpr Tolerance kBytes{.rule = Tolerance::Rule::exact, .strict_nan = true};
  std::vector<OutputReport> others;
  for (const ValueInfo& output : ordinary.ready->bound.graph.outputs) {
    const Value &actual = value_of(ordinary.environment, output.name),
                &expected = value_of(exact.environment, output.name);
    Comparison comparison = compare_values(actual, expected, kBytes);
    if (!comparison.equal()) others.push_back({output.name, kBytes, std::move(comparison), actual, expected});
  }
  return others;
}

void record_tiers(CaseRecord& record, const Evaluated& ordinary, const Evaluated& exact) {
  for (const OutputReport& output : other_bytes(ordinary, exact)) {
    if (record.verdict != Verdict::fail)
      fails(record,
            format("output '{}' {}, by the exact tier", printable(output.name), difference_text(output.comparison)));
    std::erase_if(record.outputs, [&](const OutputRecord& known) { return known.name == output.name; });
    record.outputs.push_back(record_output(output));
  }
  if (record.verdict != Verdict::skip) return;
  record.verdict = Verdict::pass;
  record.reason.clear();
}

void judge_tiers(CaseRecord& record, const Evaluated& ordinary, double seconds) {
  std::optional<Evaluated> exact;
  try {
    exact = evaluated_exactly(ordinary, seconds);
  } catch (const Error& error) {
    pass_on(error);
    if (error.fault() == Fault::system) throw;
    return fails(record, "the exact tier alone gives nothing: " + error.message());
  }
  record_tiers(record, ordinary, *exact);
}

}  // namespace opref::check
