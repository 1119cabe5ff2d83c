// SPDX-License-Identifier: Apache-2.0
// Has each alternative of each reading a case that fails under another one?
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

std::string line(std::string_view reading, std::string_view alternative) {
  return format("{} = {}", reading, alternative);
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
  std::set<std::string> told_apart;  ///< "tile.v1_types = T": from the default; the default from another alternative
  std::set<std::string> unreported;  ///< decide a case, but its steps do not say so
};

/// A case that chooses an alternative tells it from the default; another case tells the default from what its steps
/// report, or where it is refused from any alternative.
void add_findings(const std::shared_ptr<const Case>& read, const Reading& reading, std::string_view by_default,
                  const Outcome& own, Findings& findings) {
  const auto chosen = read->readings.find(reading.name);
  const std::string_view in_force = chosen == read->readings.end() ? by_default : chosen->second;
  if (std::ranges::count(reading.alternatives, in_force) == 0) return;  // which must fail
  const auto with = [&](std::string_view alternative) {
    return outcome_of(read, {{std::string(reading.name), std::string(alternative)}});
  };
  if (in_force != by_default) {
    const Outcome other = with(by_default);
    if (other.as_stated) return;
    findings.told_apart.insert(line(reading.name, in_force));
    if (!own.steps.empty() && !is_reported(own.steps, reading.name, by_default))
      findings.unreported.insert(line(reading.name, by_default));
    if (!other.steps.empty() && !is_reported(other.steps, reading.name, in_force))
      findings.unreported.insert(line(reading.name, in_force));
  } else if (!findings.told_apart.contains(line(reading.name, in_force))) {
    for (const std::string_view other : reading.alternatives)
      if (other != in_force && (own.steps.empty() || is_reported(own.steps, reading.name, other)) &&
          !with(other).as_stated)
        findings.told_apart.insert(line(reading.name, in_force));
  }
}

void add_findings(const std::shared_ptr<const Case>& read, Findings& findings) {
  const Outcome own = outcome_of(read, {});
  if (!own.as_stated) return;
  for (const Node& node : read->graph.nodes)
    if (const std::optional<Version> version = find_version(read->graph.opset_import, node))
      for (const Reading& reading : version->op.readings())
        if (const std::string_view by_default = default_of(reading, version->schema.since_version());
            !by_default.empty())
          add_findings(read, reading, by_default, own, findings);
}

}  // namespace

TEST_CASE("data: each alternative of a reading has a case that fails without it, and is reported", "[ops][release]") {
  // Upsample's scales are at least 1, where by_scale is the floor; what it interpolates lies between numbers of the
  // type.
  const std::set<std::string> without_effect = {"upsample.integer = wrap", "upsample.nearest = floor"};
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
  std::set<std::string> missing;
  for (const OperatorRow& row : operator_rows())
    for (const Reading& reading : find_operator(row.domain, row.op_type)->readings())
      for (const std::string_view alternative : reading.alternatives)
        if (const std::string one = line(reading.name, alternative); !findings.told_apart.contains(one))
          missing.insert(one);
  CHECK(findings.told_apart.size() > 250);
  CHECK(missing == without_effect);
  CHECK(findings.unreported == std::set<std::string>{});
}
