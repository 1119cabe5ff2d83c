// SPDX-License-Identifier: Apache-2.0
#include "golden/combinations.h"

#include <optional>

#include "core/error.h"
#include "io/json/fields.h"

namespace opref::golden {
namespace {

/// The place of `each`, if the value is one.
std::optional<JsonValue> choices_of(const JsonValue& value) {
  if (value.kind() != JsonKind::object) return std::nullopt;
  const auto each = value.find("each");
  if (!each) return std::nullopt;
  require_kind(*each, JsonKind::list);
  if (value.size() != 1) fail(Fault::malformed, "{} has other keys beside 'each'", place(value));
  if (each->size() == 0) fail(Fault::malformed, "{} is empty", place(*each));
  return each;
}

bool is_container(const JsonValue& value) { return value.kind() == JsonKind::list || value.kind() == JsonKind::object; }

std::uint64_t saturating_sum(std::uint64_t a, std::uint64_t b) { return a > UINT64_MAX - b ? UINT64_MAX : a + b; }
std::uint64_t saturating_product(std::uint64_t a, std::uint64_t b) {
  return b != 0 && a > UINT64_MAX / b ? UINT64_MAX : a * b;
}

/// {"each": […]} with all values that `each` stands for, whatever stands in them.
JsonWriter expansions(const JsonValue& each) {
  JsonWriter holder = JsonWriter::list();
  holder.append(each);
  const JsonDocument document = parse_json(holder.line());
  JsonWriter values = JsonWriter::list();
  Choices choices;
  do {
    const JsonDocument chosen = parse_json(choices.combined(document.root()).line());
    values.append(*chosen.root().begin());
  } while (choices.advance());
  JsonWriter flat;
  flat.set("each", std::move(values));
  return flat;
}

}  // namespace

std::uint64_t count_combinations(const JsonValue& value) {
  if (!is_container(value)) return 1;
  if (const auto list = choices_of(value)) {
    std::uint64_t sum = 0;
    for (const JsonValue choice : *list) sum = saturating_sum(sum, count_combinations(choice));
    return sum;
  }
  std::uint64_t product = 1;
  for (const JsonValue member : value) product = saturating_product(product, count_combinations(member));
  return product;
}

JsonWriter flattened(const JsonValue& recipe) {
  const bool is_list = recipe.kind() == JsonKind::list;
  JsonWriter copy = is_list ? JsonWriter::list() : JsonWriter();
  const auto put = [&](const JsonValue& member, auto value) {
    is_list ? copy.append(std::move(value)) : copy.set(member.key(), std::move(value));
  };
  for (const JsonValue member : recipe) {
    if (choices_of(member))
      put(member, expansions(member));
    else if (is_container(member))
      put(member, flattened(member));
    else
      put(member, member);
  }
  return copy;
}

JsonWriter Choices::combined(const JsonValue& container, std::string_view left_out) {
  next_ = 0;
  return copied(container, left_out);
}

bool Choices::advance() {
  while (!digits_.empty() && ++digits_.back().chosen == digits_.back().end) digits_.pop_back();
  return !digits_.empty();
}

JsonValue Choices::choose(const JsonValue& list) {
  if (next_ == digits_.size()) {
    digits_.push_back({list.begin(), list.end()});
    for (size_t i = next_ < places_.size() ? places_[next_] : 0; i > 0; --i) ++digits_.back().chosen;
  }
  return *digits_[next_++].chosen;
}

JsonWriter Choices::copied(const JsonValue& container, std::string_view left_out) {
  JsonWriter copy = container.kind() == JsonKind::list ? JsonWriter::list() : JsonWriter();
  for (const JsonValue member : container) {
    if (!left_out.empty() && member.key() == left_out) continue;
    JsonValue value = member;
    while (const auto list = choices_of(value)) value = choose(*list);
    if (container.kind() == JsonKind::list)
      is_container(value) ? copy.append(copied(value, "")) : copy.append(value);
    else
      is_container(value) ? copy.set(member.key(), copied(value, "")) : copy.set(member.key(), value);
  }
  return copy;
}

}  // namespace opref::golden
