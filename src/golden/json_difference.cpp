// SPDX-License-Identifier: Apache-2.0
#include "golden/json_difference.h"

#include <map>

#include "core/text.h"

namespace opref::golden {
namespace {

std::string in_short(const JsonValue& value) { return printable(value.line(), 60); }

void collect(const JsonValue& first, const JsonValue& second, const std::string& path, size_t most,
             std::vector<JsonDifference>& found) {
  constexpr const char* kAbsent = "absent";
  const auto add = [&](const std::string& place, const std::string& a, const std::string& b) {
    if (found.size() < most) found.push_back({place.starts_with('.') ? place.substr(1) : place, a, b});
  };
  if (first.kind() != second.kind() || first.text() != second.text())
    return add(path, in_short(first), in_short(second));
  const std::vector<JsonPart> parts = parts_of(first), others = parts_of(second);
  const std::map<std::string, JsonValue> in_first(parts.begin(), parts.end()), in_second(others.begin(), others.end());
  for (const auto& [step, value] : parts)
    if (const auto other = in_second.find(step); other != in_second.end())
      collect(value, other->second, path + step, most, found);
    else
      add(path + step, in_short(value), kAbsent);
  for (const auto& [step, value] : others)
    if (!in_first.contains(step)) add(path + step, kAbsent, in_short(value));
}

}  // namespace

std::vector<JsonPart> parts_of(const JsonValue& value) {
  std::vector<JsonPart> parts;
  const bool is_list = value.kind() == JsonKind::list;
  if (value.is_container())
    for (const JsonValue part : value)
      parts.emplace_back(is_list ? format("[{}]", parts.size()) : format(".{}", part.key()), part);
  return parts;
}

std::vector<JsonDifference> differences(const JsonValue& first, const JsonValue& second, size_t most) {
  std::vector<JsonDifference> found;
  collect(first, second, "", most, found);
  return found;
}

}  // namespace opref::golden
