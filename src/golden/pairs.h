// SPDX-License-Identifier: Apache-2.0
// "pairs": true in a recipe: a few of its combinations, in which any two values of two `each` that can stand together
// do.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "golden/where.h"

namespace opref::golden {

/// What keeps values of some `each` from standing together.
struct Exclusion {
  std::vector<size_t> factors;                            ///< ascending
  std::function<bool(std::span<const size_t>)> excludes;  ///< by the number of the value of each of them
};

/// A covering array of factors with so many values each: rows of one value of each factor. Every two values of two
/// factors that some row without an exclusion has stand in one. The rows ascend; they are the same at every call.
/// Faults: `unsupported` where it cannot be told within reason whether two values can stand together.
std::vector<std::vector<size_t>> covering_rows(std::span<const size_t> sizes, std::span<const Exclusion> exclusions);

/// How many pairs of values of two factors there are: no covering array has more rows. UINT64_MAX stands for all
/// numbers from there on.
std::uint64_t count_pairs(std::span<const size_t> sizes);

/// Whether the recipe says "pairs": true. Faults: `malformed` (another kind of value).
bool is_paired(const JsonValue& recipe);

/// count_pairs of the recipe's `each`. Faults: `malformed` (fewer than two).
std::uint64_t count_paired(const JsonValue& recipe);

/// For each combination which value of each `each` it has. Any two values of two of them are in one of the
/// combinations, but for those that `where` drops, and those that the version in force has not (an attribute, an input,
/// its type, an output) or cannot do without. The recipe is flattened, and has lists in the place of "every". Faults:
/// as of covering_rows and of Every.
std::vector<std::vector<size_t>> paired_choices(const JsonValue& flat_recipe, Where& where);

}  // namespace opref::golden
