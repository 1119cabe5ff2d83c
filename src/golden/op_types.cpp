// SPDX-License-Identifier: Apache-2.0
#include "golden/op_types.h"

#include <array>

#include "core/error.h"
#include "core/text.h"
#include "golden/combinations.h"
#include "io/json/fields.h"

namespace opref::golden {
namespace {

constexpr std::string_view kOpTypes = "op_types", kRecipes = "recipes", kRespectively = "respectively";

/// One of several operators that share their recipes.
struct OneOf {
  size_t place, count;
  std::string_view op_type;
};

/// What `value` is for this operator.
JsonValue chosen(const JsonValue& value, const OneOf& op) {
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
        copy_with(recipe, [&](const JsonValue& value) { return chosen(value, op); }).set("op_type", op.op_type));
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

}  // namespace opref::golden
