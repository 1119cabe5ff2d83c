// SPDX-License-Identifier: Apache-2.0
// Recipes: JSON cases in which {"each": [v1, v2, …]} stands for any value, and the cases that they make.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "io/json/tree.h"

namespace opref::golden {

/// Recipes of one operator: one object, or a list of them.
struct RecipeFile {
  std::string name;              ///< for messages and the manifest: "lp_pool.json"
  std::filesystem::path folder;  ///< what files in it are relative to
  std::shared_ptr<const Json> document;
};

/// What a recipe file of this text holds: of recipes that operators share, one for each of them (see combinations.h).
std::vector<RecipeFile> parse_recipes(const std::string& name, const std::filesystem::path& folder,
                                      std::string_view text);
std::vector<RecipeFile> read_recipes(const std::filesystem::path& path);

/// One combination.
struct GoldenCase {
  std::string name;  ///< see case_name.h
  std::uint64_t seed;
  Json stated;  ///< the JSON case, with its opset and seed
  std::filesystem::path folder;
  std::string recipe;  ///< its place in messages: "in recipe 2 of lp_pool.json"
};

/// The most combinations that are expanded, those that `where` drops among them.
inline constexpr std::uint64_t kMostCombinations = 1'000'000;

/// All combinations in the order of the files: all `each` multiply, the last one varies fastest; one inside a value of
/// another counts where that value is chosen. "every" is a list (see every.h). What `where` drops is left out, and what
/// is the same case again. `seed` is taken instead of the recipes'. `jobs` recipes at a time. Faults: `malformed` with
/// the recipe as its place (no recipe, two cases of one name, a path or value of `where` that no combination has, none
/// that it leaves), `unsupported` (too many combinations
/// - they are counted before the first is expanded -, unknown operators).
std::vector<GoldenCase> expand(std::span<const RecipeFile> files, std::optional<std::uint64_t> seed, int jobs = 1);

}  // namespace opref::golden
