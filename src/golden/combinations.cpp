// SPDX-License-Identifier: Apache-2.0
#include "golden/combinations.h"

#include <algorithm>
#include <array>
#include <optional>

#include "core/error.h"
#include "io/json/fields.h"

namespace opref::golden {
namespace {

/// The place of `each`, if the value is one.
std::optional<JsonValue> choices_of(const JsonValue& value) {
  if (value.kind() != JsonKind::object) return std::nullopt;
  const auto each = value.find("each");
  if (!each) {
    constexpr std::string_view kOthers[] = {"foreach", "for_each", "any",     "any_of",
                                            "one_of",  "oneof",    "choices", "all"};
    if (value.size() == 1 && std::ranges::count(kOthers, (*value.begin()).key()) > 0 &&
        (*value.begin()).kind() == JsonKind::list)
      fail(Fault::malformed, "unknown key {}, did you mean 'each'?", place(*value.begin()));
    return std::nullopt;
  }
  require_kind(*each, JsonKind::list);
  if (value.size() != 1) fail(Fault::malformed, "{} has other keys beside 'each'", place(value));
  if (each->size() == 0) fail(Fault::malformed, "{} is empty", place(*each));
  return each;
}

/// {"each": […]} with all values that `each` stands for, whatever stands in them.
Json expansions(const JsonValue& each) {
  const Json holder = Json::list().append(each);
  Json values = Json::list();
  Choices choices;
  do {
    const Json chosen = choices.combined(holder.root());
    values.append(*chosen.root().begin());
  } while (choices.advance());
  return Json().set("each", values);
}

constexpr std::string_view kOpTypes = "op_types", kRecipes = "recipes", kRespectively = "respectively";

/// One of several operators that share their recipes.
struct OneOf {
  size_t place, count;
  std::string_view op_type;
};

/// What `value` is for this operator.
JsonValue respective(const JsonValue& value, const OneOf& op) {
  if (value.kind() != JsonKind::object) return value;
  const auto list = value.find(kRespectively);
  if (!list) return value;
  require_known_keys(value, std::array{kRespectively});
  require_kind(*list, JsonKind::list);
  if (list->size() != op.count)
    fail(Fault::malformed, "{} has {}, but there are {}", place(*list),
         counted(static_cast<long long>(list->size()), "value"), counted(static_cast<long long>(op.count), "op_type"));
  auto item = list->begin();
  for (size_t i = 0; i < op.place; ++i) ++item;
  return *item;
}

Json recipes_of(const JsonValue& recipes, const OneOf& op) {
  Json list = Json::list();
  for (const JsonValue recipe : recipes) {
    require_kind(recipe, JsonKind::object);
    list.append(
        copy_with(recipe, [&](const JsonValue& value) { return respective(value, op); }).set("op_type", op.op_type));
  }
  return list;
}

}  // namespace

std::vector<Json> by_op_type(Json file) {
  std::vector<Json> documents;
  const JsonValue root = file.root();
  if (root.kind() != JsonKind::object || !root.find(kOpTypes)) {
    documents.push_back(std::move(file));
    return documents;
  }
  require_known_keys(root, std::array{kOpTypes, kRecipes});
  const JsonValue op_types = required(root, kOpTypes), recipes = required(root, kRecipes);
  for (const JsonValue& list : {op_types, recipes}) {
    require_kind(list, JsonKind::list);
    if (list.size() == 0) fail(Fault::malformed, "{} is empty", place(list));
  }
  for (const JsonValue op_type : op_types)
    documents.push_back(recipes_of(recipes, {documents.size(), op_types.size(), string_of(op_type)}));
  return documents;
}

std::uint64_t count_combinations(const JsonValue& value) {
  if (!value.is_container()) return 1;
  if (const auto list = choices_of(value)) {
    std::uint64_t sum = 0;
    for (const JsonValue choice : *list) sum = saturating_sum(sum, count_combinations(choice));
    return sum;
  }
  std::uint64_t product = 1;
  for (const JsonValue member : value) product = saturating_product(product, count_combinations(member));
  return product;
}

Json flattened(const JsonValue& recipe) {
  Json held;
  return copy_with(recipe, [&](const JsonValue& value) {
    if (!choices_of(value)) return value;
    held = expansions(value);
    return held.root();
  });
}

Json Choices::combined(const JsonValue& container) {
  size_t next = 0;  // the digit of the next `each` that is met
  return copy_with(container, [&](JsonValue value) {
    while (const auto list = choices_of(value)) {
      if (next == digits_.size()) {
        digits_.push_back({list->begin(), list->end()});
        for (size_t i = next < places_.size() ? places_[next] : 0; i > 0; --i) ++digits_.back().chosen;
      }
      value = *digits_[next++].chosen;
    }
    return value;
  });
}

bool Choices::advance() {
  while (!digits_.empty() && ++digits_.back().chosen == digits_.back().end) digits_.pop_back();
  return !digits_.empty();
}

}  // namespace opref::golden
