// SPDX-License-Identifier: Apache-2.0
#include "golden/where.h"

#include <algorithm>
#include <charconv>

#include "core/error.h"
#include "golden/json_difference.h"
#include "io/json/fields.h"

namespace opref::golden {
namespace {

/// Digits without zeros at either end, and the exponent that they then have: "2.50" is "25e-1".
std::string plain_number(std::string_view text) {
  const bool negative = text.starts_with('-');
  const size_t end = std::min(text.find_first_of("eE"), text.size());
  std::int64_t exponent = 0;
  if (end < text.size()) {
    const size_t digits = end + 1 + (text[end + 1] == '+' ? 1 : 0);
    const auto [rest, error] = std::from_chars(text.data() + digits, text.data() + text.size(), exponent);
    if (error != std::errc{} || exponent > INT64_MAX / 2 || exponent < -(INT64_MAX / 2)) return std::string(text);
  }
  std::string digits;
  bool fraction = false;
  for (const char c : text.substr(0, end)) {
    fraction |= c == '.';
    if (c < '0' || c > '9') continue;
    digits += c;
    exponent -= fraction;
  }
  digits.erase(0, digits.find_first_not_of('0'));
  if (digits.empty()) return "0";
  const size_t zeros = digits.size() - 1 - digits.find_last_not_of('0');
  digits.resize(digits.size() - zeros);
  return format("{}{}e{}", negative ? "-" : "", digits, exponent + static_cast<std::int64_t>(zeros));
}

/// The value at ".inputs.X.dtype" or ".inputs.data[1].shape"; keys may have points in them.
std::optional<JsonValue> at_path(const JsonValue& value, std::string_view path) {
  if (path.empty()) return value;
  for (const auto& [step, part] : parts_of(value)) {
    if (!path.starts_with(step)) continue;
    if (const auto found = at_path(part, path.substr(step.size()))) return found;
  }
  return std::nullopt;
}

/// All paths of a recipe: an `each` has those of its values.
void collect_paths(const JsonValue& value, const std::string& path, std::set<std::string>& paths) {
  if (value.kind() == JsonKind::object)
    if (const auto each = value.find("each"); each && each->kind() == JsonKind::list) {
      for (const JsonValue choice : *each) collect_paths(choice, path, paths);
      return;
    }
  if (!path.empty()) paths.insert(path);
  if (value.kind() != JsonKind::object) return;
  for (const JsonValue member : value)
    if (!path.empty() || member.key() != "where")
      collect_paths(member, path.empty() ? std::string(member.key()) : format("{}.{}", path, member.key()), paths);
}

constexpr const char* kNothing = "null";

}  // namespace

std::string comparable_text(const JsonValue& value) {
  if (value.kind() == JsonKind::number) return plain_number(value.text());
  if (value.kind() != JsonKind::list && value.kind() != JsonKind::object) return value.line();
  std::vector<std::string> parts;
  const bool is_object = value.kind() == JsonKind::object;
  for (const JsonValue member : value)
    parts.push_back((is_object ? format("{}:", member.key()) : "") + comparable_text(member));
  if (is_object) std::ranges::sort(parts);
  return (is_object ? "{" : "[") + join_text(parts, ",") + (is_object ? "}" : "]");
}

Where::Where(const JsonValue& recipe) {
  const auto rules = recipe.find("where");
  if (!rules) return;
  require_kind(*rules, JsonKind::list);
  for (const JsonValue rule : *rules) {
    require_kind(rule, JsonKind::object);
    if (rule.size() == 0) fail(Fault::malformed, "{} is empty: it would drop nothing", place(rule));
    std::vector<Condition> entry;
    for (const JsonValue values : rule) {
      require_kind(values, JsonKind::list);
      if (values.size() == 0) fail(Fault::malformed, "{} is empty: its entry would drop nothing", place(values));
      const std::string name(values.key());
      auto path = std::ranges::find(paths_, name, &Path::name);
      if (path == paths_.end()) path = paths_.insert(path, {name, "", false, {}, {}});
      Condition condition{static_cast<size_t>(path - paths_.begin()), {}};
      for (const JsonValue value : values) condition.values.push_back({value, comparable_text(value)});
      entry.push_back(std::move(condition));
    }
    entries_.push_back(std::move(entry));
  }
}

std::vector<std::string_view> Where::paths(size_t entry) const {
  std::vector<std::string_view> names;
  for (const Condition& condition : entries_[entry]) names.push_back(paths_[condition.path].name);
  return names;
}

bool Where::drops(const JsonValue& combination, std::optional<size_t> entry) {
  for (Path& path : paths_) {
    const auto found = at_path(combination, "." + path.name);
    path.found |= found.has_value();
    path.now = found ? comparable_text(*found) : kNothing;
    if (path.seen.insert(path.now).second) path.written.push_back(found ? found->line() : kNothing);
  }
  const auto is_met = [&](const std::vector<Condition>& conditions) {
    return std::ranges::all_of(conditions, [&](const Condition& condition) {
      return std::ranges::find(condition.values, paths_[condition.path].now, &Value::text) != condition.values.end();
    });
  };
  return entry ? is_met(entries_[*entry]) : std::ranges::any_of(entries_, is_met);
}

void Where::require_all_seen(const JsonValue& recipe) const {
  for (const Path& path : paths_) {
    if (path.found) continue;
    std::set<std::string> paths;
    collect_paths(recipe, "", paths);
    const std::vector<std::string_view> known(paths.begin(), paths.end());
    fail(Fault::malformed, "'where' names '{}', which is nowhere in the recipe{}", printable(path.name),
         did_you_mean(path.name, known));
  }
  for (const auto& entry : entries_)
    for (const Condition& condition : entry)
      for (const Value& value : condition.values) require_seen(paths_[condition.path], value);
}

void Where::require_seen(const Path& path, const Value& value) const {
  if (path.seen.contains(value.text)) return;
  constexpr size_t kMost = 8;
  std::vector<std::string> there;
  for (const std::string& written : path.written)
    if (there.size() < kMost) there.push_back(printable(written, 40));
  std::vector<std::string_view> texts;
  for (std::string_view written : path.written)
    if (written.starts_with('"')) texts.push_back(written.substr(1, written.size() - 2));
  const bool is_text = value.stated.kind() == JsonKind::string;
  fail(Fault::malformed, "{} is {}, but {} is {} {}{}{}", place(value.stated), printable(value.stated.line(), 40),
       printable(path.name), path.written.size() == 1 ? "always" : "one of", join_text(there, ", "),
       path.written.size() > kMost ? ", …" : "", is_text ? did_you_mean(value.stated.text(), texts) : "");
}

}  // namespace opref::golden
