// SPDX-License-Identifier: Apache-2.0
// The recipes that come with opref: each recipe.json in testdata.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "golden/recipe.h"

namespace opref::golden {

struct ShippedRecipe {
  std::string_view name;  ///< the file's below testdata: "ai.onnx/LpPool/recipe.json"
  std::string_view text;
};

/// As they were when opref was built; sorted by name.
std::span<const ShippedRecipe> shipped_recipes();

/// What a RECIPE argument names: a file, the shipped recipes of an operator ("LpPool", "openvino:MaxPool"), or "all" of
/// them. Faults: `system` (no such file), `unsupported` (no such operator, or one without recipes).
std::vector<RecipeFile> recipes_named(const std::string& argument);

}  // namespace opref::golden
