#include "run/readings.h"

#include <algorithm>

#include "core/error.h"

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
    ReadingReport report{reading.name, call.reading(reading.name), "", call.reading_selected(reading.name), {}, {}};
    if (reading.stands_for != nullptr && has_values) report.stands_for = reading.stands_for(call);
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
