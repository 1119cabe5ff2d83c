// SPDX-License-Identifier: Apache-2.0
#include "run/readings.h"

#include <algorithm>

#include "core/error.h"
#include "run/functions.h"
#include "run/places.h"
#include "run/version.h"
#include "schema/domains.h"
#include "schema/node.h"

namespace opref::run {
namespace {

/// What the alternative's result is against `values`, which may not be known (null).
Effect effect_on(const Call& call, const std::vector<ValueType>& types, const std::vector<Value>* values,
                 const Reading& reading, std::string_view alternative) {
  const Effect foreseen = effect(reading, call, alternative);
  if (foreseen != Effect::possible || values == nullptr) return foreseen;
  try {
    const Call other = call.with_reading(reading.name, alternative);
    return std::ranges::equal(other.op().kernel(other, types), *values, same_bits) ? Effect::none : Effect::certain;
  } catch (const Error& error) {
    if (error.fault() != Fault::invalid) throw;
    return Effect::certain;  // refusing the values is another result
  }
}

}  // namespace

std::vector<ReadingReport> report_readings(const Call& call, const std::vector<ValueType>& types,
                                           const std::vector<Value>* values) {
  std::vector<ReadingReport> reports;
  const bool has_values = std::ranges::all_of(
      call.inputs(), [](const Input& input) { return input.name.empty() || input.value.has_value(); });
  for (const Reading& reading : call.op().readings()) {
    ReadingReport report{reading.name,  call.reading(reading.name), "", call.reading_selected(reading.name), {}, {},
                         reading.reason};
    if (has_values) report.stands_for = alternative_here(reading, call);
    for (const std::string_view alternative : reading.alternatives) {
      if (alternative == report.stands_for) continue;
      const Effect found = effect_on(call, types, values, reading, alternative);
      if (found == Effect::certain) report.others.push_back(alternative);
      if (found == Effect::possible) report.possible.push_back(alternative);
    }
    if (report.others.size() + report.possible.size() > 0) reports.push_back(std::move(report));
  }
  return reports;
}

namespace {

void add_readings(const Graph& graph, const OpsetImport& opsets, std::vector<std::string_view>& known) {
  for (const Node& node : graph.nodes) {
    const auto add = [&](std::string_view name) {
      if (std::ranges::find(known, name) == known.end()) known.push_back(name);
    };
    if (const Operator* op = operator_of(opsets, node)) {
      for (const Reading& reading : op->readings()) add(reading.name);
      if (is_of_layers(op->domain())) add(kUnknownAttribute);
    }
    each_subgraph(node, [&](const Graph& inner) { add_readings(inner, opsets, known); });
  }
}

/// What follows the first point: "nan" of "lp_pool.nan".
std::string_view own_name(std::string_view reading) { return reading.substr(reading.find('.') + 1); }

/// The reading that is meant, by the name that it has beside others of its operator; "" where none is near.
std::string reading_hint(std::string_view name, std::span<const std::string_view> known) {
  for (const std::string_view reading : known) {
    const std::string_view own = own_name(reading);
    if (own == own_name(name) || !did_you_mean(own_name(name), {&own, 1}).empty())
      return format(", did you mean '{}'?", reading);
  }
  return "";
}

[[noreturn]] void unknown_reading(std::string_view name, std::span<const std::string_view> known) {
  fail(Fault::usage, known.empty() ? WayOut() : WayOut(kKnownNames, join_text(known, ", ")),
       "'{}' is not a reading here{}", printable(name), known.empty() ? ": there is none" : reading_hint(name, known));
}

/// Of a reading that is no operator's.
void require_alternative(std::string_view name, std::string_view stated, std::span<const std::string_view> known) {
  if (std::ranges::find(known, stated) == known.end())
    fail(Fault::usage, "'{}' is not an alternative of the reading '{}' ({}){}", printable(stated), name,
         join_text(known, ", "), did_you_mean(stated, known));
}

}  // namespace

void require_known_readings(const Graph& graph, const ReadingChoices& choices) {
  if (choices.empty()) return;
  std::vector<std::string_view> known;
  add_readings(graph, graph.opset_import, known);
  if (graph.opset_import.functions != nullptr) {
    known.push_back(kFunctionPrecedence);
    for (const Function& function : *graph.opset_import.functions)
      add_readings(function.body, graph.opset_import, known);
  }
  for (const auto& [name, alternative] : choices) {
    if (std::ranges::find(known, name) == known.end()) unknown_reading(name, known);
    if (name == kFunctionPrecedence) require_alternative(name, alternative, kPrecedences);
    if (name == kUnknownAttribute) require_alternative(name, alternative, kUnknownAttributes);
  }
}

std::string to_text(const ReadingReport& report) {
  std::string text = format("reading {} = {}", report.name, report.in_force);
  if (!report.stands_for.empty() && report.stands_for != report.in_force)
    text += format(" (here: {})", report.stands_for);
  text += report.others.empty() ? " may matter" : " decides this result";
  if (!report.others.empty())
    text +=
        format("; {} {} another result", join_text(report.others, ", "), report.others.size() == 1 ? "gives" : "give");
  if (!report.possible.empty()) text += format("; {} may give another result", join_text(report.possible, ", "));
  return text;
}

}  // namespace opref::run
