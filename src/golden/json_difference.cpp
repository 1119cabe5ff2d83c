// SPDX-License-Identifier: Apache-2.0
#include "golden/json_difference.h"

#include "core/text.h"

namespace opref::golden {
namespace {

std::string in_short(const JsonValue& value) { return printable(value.line(), 60); }

void collect(const JsonValue& first, const JsonValue& second, const std::string& path, size_t most,
             std::vector<JsonDifference>& found) {
  constexpr const char* kAbsent = "absent";
  const auto add = [&](const std::string& place, const std::string& a, const std::string& b) {
    if (found.size() < most) found.push_back({place, a, b});
  };
  if (found.size() >= most) return;
  if (first.kind() != second.kind()) return add(path, in_short(first), in_short(second));
  if (first.kind() == JsonKind::object) {
    const auto member_path = [&](const JsonValue& member) {
      return path.empty() ? std::string(member.key()) : format("{}.{}", path, member.key());
    };
    for (const JsonValue member : first) {
      const auto other = second.find(member.key());
      if (other) collect(member, *other, member_path(member), most, found);
      if (!other) add(member_path(member), in_short(member), kAbsent);
    }
    for (const JsonValue member : second)
      if (!first.find(member.key())) add(member_path(member), kAbsent, in_short(member));
    return;
  }
  if (first.kind() != JsonKind::list) {
    if (first.text() != second.text()) add(path, in_short(first), in_short(second));
    return;
  }
  auto a = first.begin(), b = second.begin();
  for (size_t i = 0; a != first.end() || b != second.end(); ++i) {
    const std::string place = format("{}[{}]", path, i);
    if (a == first.end())
      add(place, kAbsent, in_short(*b));
    else if (b == second.end())
      add(place, in_short(*a), kAbsent);
    else
      collect(*a, *b, place, most, found);
    if (a != first.end()) ++a;
    if (b != second.end()) ++b;
  }
}

}  // namespace

std::vector<JsonDifference> differences(const JsonValue& first, const JsonValue& second, size_t most) {
  std::vector<JsonDifference> found;
  collect(first, second, "", most, found);
  return found;
}

}  // namespace opref::golden
