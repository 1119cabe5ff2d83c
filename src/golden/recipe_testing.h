// SPDX-License-Identifier: Apache-2.0
// Recipes as texts.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/error.h"
#include "golden/make_case.h"
#include "golden/recipe.h"

namespace opref::golden {

inline std::vector<GoldenCase> expanded(const std::string& text, std::optional<std::uint64_t> seed = std::nullopt) {
  return expand(parse_recipes("r.json", "", text), seed);
}

inline std::string error_of_recipe(const std::string& text) {
  try {
    expanded(text);
  } catch (const Error& error) {
    return error.text();
  }
  return "no error";
}

}  // namespace opref::golden
