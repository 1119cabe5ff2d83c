// SPDX-License-Identifier: Apache-2.0
#include "schema/reading.h"

#include <algorithm>

#include "core/error.h"
#include "schema/operator.h"

namespace opref::schema {

std::string_view default_of(const Reading& reading, std::int64_t since_version) {
  std::string_view value;
  for (const auto& [from, alternative] : reading.defaults)
    if (from <= since_version) value = alternative;
  return value;
}

std::string_view link_of(const Reading& reading, const Operator& op) {
  return reading.link.empty() ? op.link() : reading.link;
}

std::string versions_text(const Reading& reading) {
  const auto& [last, value] = reading.defaults.back();
  const std::int64_t first = reading.defaults.front().first;
  return value.empty() ? format("versions {} to {}", first, last - 1) : format("versions {} and later", first);
}

std::string_view alternative_here(const Reading& reading, const Call& call) {
  if (reading.stands_for == nullptr) return "";
  const Call original = call.op().of_original(call);  // whose own text the answer may be
  const auto found = std::ranges::find(reading.alternatives, reading.stands_for(original));
  return found == reading.alternatives.end() ? "" : *found;
}

Effect effect(const Reading& reading, const Call& call, std::string_view alternative) {
  if (default_of(reading, call.version()).empty() || alternative == call.reading(reading.name)) return Effect::none;
  try {
    const Operator& op = call.op();
    const Call other = call.with_reading(reading.name, alternative);
    if (op.output_types(other) != op.output_types(call)) return Effect::certain;
    // An operator built as another one has that one's readings, which ask in its words, and may have its own.
    const Call original = op.of_original(call);
    const bool is_own =
        std::ranges::find(original.op().readings(), reading.name, &Reading::name) == original.op().readings().end();
    const bool same_values =
        reading.may_change_values == nullptr || !reading.may_change_values(is_own ? call : original);
    return same_values && op.placement(other) == op.placement(call) ? Effect::none : Effect::possible;
  } catch (const Error& error) {
    if (error.fault() != Fault::invalid) throw;
    return Effect::certain;
  }
}

}  // namespace opref::schema
