// SPDX-License-Identifier: Apache-2.0
#include "golden/recipe.h"

#include <algorithm>
#include <array>
#include <map>

#include "core/error.h"
#include "golden/case_name.h"
#include "golden/combinations.h"
#include "golden/every.h"
#include "golden/json_difference.h"
#include "golden/op_types.h"
#include "golden/where.h"
#include "io/generate.h"
#include "io/json/fields.h"
#include "io/json/json.h"
#include "ops/operators.h"
#include "run/version.h"
#include "system/file.h"

namespace opref::golden {
namespace {

constexpr std::array<std::string_view, 12> kKeys = {"op_type",  "domain",     "opset",  "name",
                                                    "seed",     "attributes", "inputs", "outputs",
                                                    "readings", "tolerance",  "where",  "source"};

std::int64_t newest_opset(const JsonValue& combination) {
  Node node;
  node.op_type = string_of(required(combination, "op_type"));
  node.domain = canonical_domain(string_or_empty(combination, "domain"));
  get_operator(node.domain, node.op_type);
  return opset_in_force({}, node);
}

JsonWriter without_null(const JsonValue& list) {
  JsonWriter present = JsonWriter::list();
  for (const JsonValue item : list)
    if (item.kind() != JsonKind::null) present.append(item);
  return present;
}

/// The combination as a case: without what is null, with opset and seed.
std::string case_text(const JsonValue& combination, std::uint64_t seed) {
  JsonWriter text;
  for (const JsonValue member : combination) {
    if (member.key() == "seed" || member.kind() == JsonKind::null) continue;
    if (member.kind() != JsonKind::object) {
      text.set(member.key(), member);
      continue;
    }
    JsonWriter present;
    const bool may_list_tensors = member.key() == "inputs";
    for (const JsonValue value : member) {
      if (may_list_tensors && value.kind() == JsonKind::list)
        present.set(value.key(), without_null(value));
      else if (value.kind() != JsonKind::null)
        present.set(value.key(), value);
    }
    text.set(member.key(), std::move(present));
  }
  if (!combination.find("opset")) text.set("opset", newest_opset(combination));
  return text.set("seed", seed).text();
}

/// Combinations by name: the same one again is left out, another one refused.
class Expansion {
 public:
  explicit Expansion(std::optional<std::uint64_t> seed) : seed_(seed) {}

  /// Before anything is expanded.
  void count(const JsonValue& stated) {
    require_known_keys(stated, kKeys);
    const Every every(stated);
    const std::uint64_t more = count_combinations(every.recipe());
    if (more <= kMostCombinations && (counted_ += more) <= kMostCombinations) return;
    fail(Fault::unsupported, "there are {} combinations{}, but at most {} are made at a time: split the recipe",
         more == UINT64_MAX ? "more than 10^19" : std::to_string(more), counted_ > more ? " beside those before" : "",
         kMostCombinations);
  }

  void add_recipe(const JsonValue& as_stated, const RecipeFile& file, const std::string& recipe_place) {
    const Every every(as_stated);
    const JsonValue recipe = every.recipe();
    const auto stated = recipe.find("seed");
    const std::uint64_t seed = seed_ ? *seed_ : stated ? unsigned_of(*stated) : Fill{}.seed;
    Where where(recipe);
    Choices choices;
    size_t left = 0;
    do {
      const JsonDocument combination = parse_json(choices.combined(recipe, "where").line());
      if (every.drops(combination.root()) || where.drops(combination.root())) continue;
      ++left;
      add(combination.root(), seed, file.folder, recipe_place);
    } while (choices.advance());
    where.require_all_seen(recipe);
    if (left == 0) fail(Fault::malformed, "'where' drops all combinations");
  }

  std::vector<GoldenCase> finish() && { return std::move(cases_); }

 private:
  void add(const JsonValue& combination, std::uint64_t seed, const std::filesystem::path& folder,
           const std::string& recipe_place) {
    GoldenCase made{"", 0, "", folder, recipe_place};
    const std::int64_t newest = combination.find("opset") ? 0 : newest_opset(combination);
    const GoldenCase* other = nullptr;
    for (const Detail detail : {Detail::usual, Detail::shapes}) {
      made.name = case_name(combination, newest, detail);
      made.seed = case_seed(seed, made.name);
      made.text = case_text(combination, made.seed);
      const auto [found, is_new] = by_name_.emplace(made.name, cases_.size());
      if (is_new) return cases_.push_back(std::move(made));
      other = &cases_[found->second];
      if (other->text == made.text) return;
    }
    const JsonDocument before = parse_json(other->text), now = parse_json(made.text);
    const std::vector<JsonDifference> found = differences(before.root(), now.root(), 1);
    if (found.empty()) return;  // its members are in another order
    const JsonDifference& difference = found.front();
    fail(Fault::malformed, "two cases have the name '{}': '{}' is {} {}, and {} in another; a 'name' tells them apart",
         made.name, difference.path, difference.first,
         other->recipe == recipe_place ? "in one" : printable(other->recipe), difference.second);
  }

  std::optional<std::uint64_t> seed_;
  std::uint64_t counted_ = 0;
  std::vector<GoldenCase> cases_;
  std::map<std::string, size_t> by_name_;
};

/// Calls `visit(recipe, file, its place)` for every recipe; errors get the place.
template <class Visit>
void for_each_recipe(std::span<const RecipeFile> files, const Visit& visit) {
  for (const RecipeFile& file : files) {
    const JsonValue root = file.document->root();
    const bool is_list = root.kind() == JsonKind::list;
    size_t number = 0;
    const auto one = [&](const JsonValue& recipe) {
      ++number;
      const std::string path = shown(file.folder / file.name);
      const std::string place = is_list ? format("in recipe {} of {}", number, path) : "in " + path;
      at_place([&] { return place; }, [&] { visit(recipe, file, place); });
    };
    if (!is_list) one(root);
    if (is_list)
      for (const JsonValue recipe : root) one(recipe);
  }
}

}  // namespace

std::vector<RecipeFile> parse_recipes(const std::string& name, const std::filesystem::path& folder,
                                      std::string_view text) {
  std::vector<RecipeFile> files;
  for (JsonDocument& document : by_op_type(parse_json(text)))
    files.push_back({name, folder, std::make_shared<const JsonDocument>(std::move(document))});
  return files;
}

std::vector<RecipeFile> read_recipes(const std::filesystem::path& path) {
  return at_place([&] { return "in " + shown(path); },
                  [&] {
                    const FileBytes file = read_file(path);
                    return parse_recipes(path.filename().string(), path.parent_path(), file.text());
                  });
}

std::vector<GoldenCase> expand(std::span<const RecipeFile> files, std::optional<std::uint64_t> seed) {
  Expansion expansion(seed);
  for_each_recipe(files,
                  [&](const JsonValue& recipe, const RecipeFile&, const std::string&) { expansion.count(recipe); });
  for_each_recipe(files, [&](const JsonValue& recipe, const RecipeFile& file, const std::string& place) {
    expansion.add_recipe(recipe, file, place);
  });
  return std::move(expansion).finish();
}

}  // namespace opref::golden
