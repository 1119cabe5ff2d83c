// SPDX-License-Identifier: Apache-2.0
// Has each alternative of each reading, in each operator and under each default, a case that fails under another one?
#include <catch2/catch.hpp>
#include <map>
#include <set>

#include "check/discover.h"
#include "check/expected.h"
#include "core/error.h"
#include "ops/operators.h"
#include "run/bind.h"
#include "run/load_case.h"
#include "run/load_inputs.h"
#include "run/version.h"

using namespace opref::check;

namespace {

struct Outcome {
  bool as_stated = false;        ///< by the case
  std::vector<Step> steps = {};  ///< none where it is refused
};

/// What happens with these readings before the case's own.
Outcome outcome_of(const std::shared_ptr<const Case>& read, const ReadingChoices& choices) {
  try {
    Bound bound = bind_case(read, {}, {.attributes = {}, .nodes = {}, .opset = {}, .readings = choices});
    bound.options.confirm_readings_below = 0;
    std::vector<std::string> warnings;
    Environment environment = load_inputs(bound, bound.options, warnings);
    Outcome outcome{false, run_graph(bound.graph, environment, bound.options)};
    outcome.as_stated =
        !read->expect_error &&
        compare_expected(*read, bound.expected, environment, outcome.steps, {}, bound.options.max_bytes).verdict ==
            Verdict::pass;
    return outcome;
  } catch (const Error& error) {
    if (error.fault() == Fault::internal) throw;
    return {.as_stated = read->expect_error && unexpected_error(*read->expect_error, error).empty()};
  }
}

/// A reading in the versions of an operator among which it has one default.
struct Choice {
  const Operator* op;
  const Reading* reading;
  std::int64_t first;           ///< of these versions
  std::string_view by_default;  ///< empty: they leave no choice
};

Choice choice_at(const Operator& op, const Reading& reading, std::int64_t version) {
  const auto defaults_until = [&](std::int64_t last) {
    return std::ranges::count_if(reading.defaults, [&](const auto& one) { return one.first <= last; });
  };
  const auto first = std::ranges::find_if(op.versions(), [&](const OpSchema& schema) {
    return defaults_until(schema.since_version()) == defaults_until(version);
  });
  return {&op, &reading, first->since_version(), default_of(reading, version)};
}

/// "Tile from 1: tile.v1_types = T"
std::string line(const Choice& choice, std::string_view alternative) {
  return format("{} from {}: {} = {}", choice.op->op_type(), choice.first, choice.reading->name, alternative);
}

/// Whether a step says that the alternative would give another result, or may.
bool is_reported(const std::vector<Step>& steps, std::string_view reading, std::string_view alternative) {
  return std::ranges::any_of(steps, [&](const Step& step) {
    return std::ranges::any_of(step.readings, [&](const ReadingReport& report) {
      return report.name == reading && (std::ranges::count(report.others, alternative) > 0 ||
                                        std::ranges::count(report.possible, alternative) > 0);
    });
  });
}

struct Findings {
  std::set<std::string> told_apart;  ///< lines: from the default; the default from another alternative
  std::set<std::string> unreported;  ///< decide a case, but its steps do not say so
};

/// A case that chooses an alternative tells it from the default; another case tells the default from what its steps
/// report, or where it is refused from any alternative.
void add_findings(const std::shared_ptr<const Case>& read, const Choice& choice, const Outcome& own,
                  Findings& findings) {
  const Reading& reading = *choice.reading;
  const std::string_view by_default = choice.by_default;
  const auto chosen = read->readings.find(reading.name);
  const std::string_view in_force = chosen == read->readings.end() ? by_default : chosen->second;
  if (std::ranges::count(reading.alternatives, in_force) == 0) return;  // which must fail
  const auto with = [&](std::string_view alternative) {
    return outcome_of(read, {{std::string(reading.name), std::string(alternative)}});
  };
  if (in_force != by_default) {
    const Outcome other = with(by_default);
    if (other.as_stated) return;
    findings.told_apart.insert(line(choice, in_force));
    if (!own.steps.empty() && !is_reported(own.steps, reading.name, by_default))
      findings.unreported.insert(line(choice, by_default));
    if (!other.steps.empty() && !is_reported(other.steps, reading.name, in_force))
      findings.unreported.insert(line(choice, in_force));
  } else if (!findings.told_apart.contains(line(choice, in_force)) &&
             std::ranges::any_of(reading.alternatives, [&](std::string_view other) {
               return other != in_force && (own.steps.empty() || is_reported(own.steps, reading.name, other)) &&
                      !with(other).as_stated;
             })) {
    findings.told_apart.insert(line(choice, in_force));
  }
}

void add_findings(const std::shared_ptr<const Case>& read, Findings& findings) {
  // What is beyond the program's limits tells nothing of a reading.
  if (read->expect_error && read->expect_error->fault != Fault::invalid) return;
  const Outcome own = outcome_of(read, {});
  if (!own.as_stated) return;
  for (const Node& node : read->graph.nodes)
    if (const std::optional<Version> version = find_version(read->graph.opset_import, node))
      for (const Reading& reading : version->op.readings())
        if (const Choice choice = choice_at(version->op, reading, version->schema.since_version());
            !choice.by_default.empty())
          add_findings(read, choice, own, findings);
}

}  // namespace

TEST_CASE("data: each operator has a case that fails without it for each alternative of a reading, and reports it",
          "[ops][release]") {
  // Upsample's scales are at least 1, where by_scale is the floor; what it interpolates lies between numbers of the
  // type.
  // No verdict depends on what numbers below 0 become as float8e8m0: the page leaves it open. HannWindow's coefficients
  // are halves, which float32 has.
  const std::set<std::string> without_effect = {
      "Cast from 24: cast.e8m0_negative = magnitude", "CastLike from 24: cast.e8m0_negative = magnitude",
      "HannWindow from 17: window.constants = coefficients", "Upsample from 1: upsample.integer = wrap",
      "Upsample from 1: upsample.nearest = floor"};
  Findings findings;
  CaseReader reader(1);
  const std::vector<std::string> folders = {OPREF_SOURCE_DIR "/testdata"};
  for (const FoundCase& found : discover(folders)) {
    try {
      add_findings(std::make_shared<const Case>(reader.read(found.path)), findings);
    } catch (const Error&) {
      continue;  // a file that must not be readable, an opset before the first version
    }
  }
  // What an operator takes from another one is told apart there.
  const auto is_taken = [](const Operator& op, const Reading& reading) {
    if (!op.original()) return false;
    const auto& theirs = find_operator(op.original()->domain, op.original()->op_type)->readings();
    return std::ranges::any_of(theirs, [&](const Reading& its) { return its.name == reading.name; });
  };
  std::set<std::string> missing;
  for (const OperatorRow& row : operator_rows())
    for (const Reading& reading : find_operator(row.domain, row.op_type)->readings())
      for (const OpSchema& schema : find_operator(row.domain, row.op_type)->versions())
        if (const Choice choice = choice_at(*find_operator(row.domain, row.op_type), reading, schema.since_version());
            !choice.by_default.empty() && !is_taken(*find_operator(row.domain, row.op_type), reading))
          for (const std::string_view alternative : reading.alternatives)
            if (const std::string one = line(choice, alternative); !findings.told_apart.contains(one))
              missing.insert(one);
  CHECK(findings.told_apart.size() > 250);
  CHECK(missing == without_effect);
  CHECK(findings.unreported == std::set<std::string>{});
}
