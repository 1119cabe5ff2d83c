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
#include "golden/pairs.h"
#include "golden/remedies.h"
#include "golden/where.h"
#include "io/foreign_file.h"
#include "io/generate.h"
#include "io/json/fields.h"
#include "io/json/parse.h"
#include "ops/operators.h"
#include "run/version.h"
#include "system/file.h"
#include "system/parallel.h"

namespace opref::golden {
namespace {

constexpr std::array<std::string_view, 13> kKeys = {"op_type",    "domain", "opset",   "name",     "seed",
                                                    "attributes", "inputs", "outputs", "readings", "tolerance",
                                                    "where",      "pairs",  "source"};

std::int64_t newest_opset(const JsonValue& combination) {
  Node node;
  node.domain = canonical_domain(operator_of(combination).domain());
  return opset_in_force({}, node);
}

Json without_null(const JsonValue& list) {
  Json present = Json::list();
  for (const JsonValue item : list)
    if (item.kind() != JsonKind::null) present.append(item);
  return present;
}

/// The combination as a case: without what is null, with its opset. Its seed follows its name.
Json without_seed(const JsonValue& combination, std::int64_t newest) {
  Json stated;
  for (const JsonValue member : combination) {
    if (member.key() == "seed" || member.key() == "pairs" || member.kind() == JsonKind::null) continue;
    if (member.kind() != JsonKind::object) {
      stated.set(member.key(), member);
      continue;
    }
    Json present;
    const bool may_list_tensors = member.key() == "inputs";
    for (const JsonValue value : member) {
      if (may_list_tensors && value.kind() == JsonKind::list)
        present.set(value.key(), without_null(value));
      else if (value.kind() != JsonKind::null)
        present.set(value.key(), value);
    }
    stated.set(member.key(), present);
  }
  if (!combination.find("opset")) stated.set("opset", newest);
  return stated;
}

/// One recipe of a file.
struct Recipe {
  JsonValue stated;
  const RecipeFile& file;
  std::string place;  ///< in messages
};

std::vector<Recipe> recipes_of(std::span<const RecipeFile> files) {
  std::vector<Recipe> recipes;
  for (const RecipeFile& file : files) {
    const JsonValue root = file.document->root();
    const std::string path = shown(file.folder / file.name);
    size_t number = 0;
    if (root.kind() != JsonKind::list)
      recipes.push_back({root, file, "in " + path});
    else
      for (const JsonValue recipe : root)
        recipes.push_back({recipe, file, format("in recipe {} of {}", ++number, path)});
  }
  return recipes;
}

/// Before anything is expanded.
void require_few(std::span<const Recipe> recipes) {
  std::uint64_t counted = 0;
  for (const Recipe& recipe : recipes)
    at_place([&] { return recipe.place; },
             [&] {
               if (recipe.stated.find("expect") || recipe.stated.find("expect_error"))
                 fail(Fault::usage, kCheckCase, "this is a case, not a recipe");
               require_known_keys(recipe.stated, kKeys);
               if (const auto opset = recipe.stated.find("opset"); opset && opset->kind() == JsonKind::list)
                 fail(Fault::malformed,
                      R"('opset' is a list; a recipe makes a case of each by "opset": {{"each": […]}})");
               const Every every(recipe.stated);
               const bool paired = is_paired(recipe.stated);
               const std::uint64_t more = paired ? count_paired(every.recipe()) : count_combinations(every.recipe());
               if (more <= kMostCombinations && (counted += more) <= kMostCombinations) return;
               fail(Fault::unsupported, "there are {} {}{}, but at most {} are made at a time: split the recipe",
                    more == UINT64_MAX ? "more than 10^19" : std::to_string(more), paired ? "pairs" : "combinations",
                    counted > more ? " beside those before" : "", kMostCombinations);
             });
}

/// A case that has its usual name, the recipe's seed and a text without seed as yet, and the name that it gets where
/// another case has the usual one.
struct Combination {
  GoldenCase made;
  std::string name_with_shapes;
};

std::vector<Combination> combinations_of(const Recipe& from, std::optional<std::uint64_t> seed) {
  const Every every(from.stated);
  const JsonValue recipe = every.recipe();
  if (const auto stated = recipe.find("seed"); stated && !seed) seed = unsigned_of(*stated);
  Where where(from.stated);
  std::vector<Combination> combinations;
  const auto add = [&](const JsonValue& combination) {
    const std::int64_t newest = combination.find("opset") ? 0 : newest_opset(combination);
    GoldenCase made{case_name(combination, newest, Detail::usual), seed.value_or(Fill{}.seed),
                    without_seed(combination, newest), from.file.folder, from.place};
    combinations.push_back({std::move(made), case_name(combination, newest, Detail::shapes)});
  };
  if (is_paired(recipe)) {
    const Json flat = flattened(recipe);
    for (std::vector<size_t>& places : paired_choices(flat.root(), where))
      add(Choices(std::move(places)).combined(flat.root()).root());
  } else {
    Choices choices;
    do {
      const Json chosen = choices.combined(recipe);
      if (!every.drops(chosen.root()) && !where.drops(chosen.root())) add(chosen.root());
    } while (choices.advance());
  }
  where.require_all_seen(recipe);
  if (combinations.empty())
    fail(Fault::malformed, "{}",
         from.stated.find("where") ? "'where' drops all combinations" : "no version has what the combinations state");
  return combinations;
}

/// Cases by name: the same one again is left out, another one refused.
class Cases {
 public:
  void add(Combination combination) {
    const std::uint64_t seed = combination.made.seed;
    GoldenCase made = std::move(combination.made);
    const GoldenCase* other = nullptr;
    std::vector<JsonDifference> different;
    for (const std::string& name : {made.name, combination.name_with_shapes}) {
      made.name = name;
      made.seed = case_seed(seed, name);
      made.stated.set("seed", made.seed);
      const auto [found, is_new] = by_name_.emplace(name, cases_.size());
      if (is_new) return cases_.push_back(std::move(made));
      other = &cases_[found->second];
      different = differences(other->stated.root(), made.stated.root(), 1);
      if (different.empty()) return;
    }
    const JsonDifference& difference = different.front();
    const bool by_type = difference.path.starts_with("inputs.") && difference.path.ends_with(".dtype");
    fail(Fault::malformed, "two cases have the name '{}': '{}' is {} {}, and {} in another; {}", made.name,
         printable(difference.path, 300), difference.first,
         other->recipe == made.recipe ? "in one" : printable(other->recipe), difference.second,
         by_type ? "without it the input has the other inputs' type" : "a 'name' tells them apart");
  }

  std::vector<GoldenCase> finish() && { return std::move(cases_); }

 private:
  std::vector<GoldenCase> cases_;
  std::map<std::string, size_t> by_name_;
};

}  // namespace

std::vector<RecipeFile> parse_recipes(const std::string& name, const std::filesystem::path& folder,
                                      std::string_view text) {
  std::vector<RecipeFile> files;
  for (Json& document : by_op_type(parse_json(text)))
    files.push_back({name, folder, std::make_shared<const Json>(std::move(document))});
  return files;
}

namespace {

/// A model or a tensor in the place of a recipe.
void require_json(const std::filesystem::path& path, std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\r\n\xef\xbb\xbf");
  if (first == std::string_view::npos || text[first] == '{' || text[first] == '[') return;
  io::require_no_foreign_file(text);
  const std::string extension = path.extension().string();
  const bool is_model = extension == ".onnx" || extension == ".onnxtxt" || extension == ".xml";
  const bool is_tensor = extension == ".npy" || extension == ".npz" || extension == ".pt";
  if (is_model || is_tensor)
    fail(Fault::usage, kWriteRecipe, "the file is a {}, but a recipe is JSON that says how to make cases",
         is_model ? "model" : "tensor");
}

}  // namespace

std::vector<RecipeFile> read_recipes(const std::filesystem::path& path) {
  return at_place([&] { return "in " + shown(path); },
                  [&] {
                    const FileBytes file = read_file(path);
                    require_json(path, file.text());
                    return parse_recipes(path.filename().string(), path.parent_path(), file.text());
                  });
}

std::vector<GoldenCase> expand(std::span<const RecipeFile> files, std::optional<std::uint64_t> seed, int jobs) {
  const std::vector<Recipe> recipes = recipes_of(files);
  require_few(recipes);
  std::vector<std::vector<Combination>> combinations(recipes.size());
  for_each_job(recipes.size(), jobs, [&](size_t i) {
    at_place([&] { return recipes[i].place; }, [&] { combinations[i] = combinations_of(recipes[i], seed); });
  });
  Cases cases;
  for (size_t i = 0; i < recipes.size(); ++i)
    at_place([&] { return recipes[i].place; },
             [&] {
               for (Combination& combination : combinations[i]) cases.add(std::move(combination));
             });
  return std::move(cases).finish();
}

}  // namespace opref::golden
