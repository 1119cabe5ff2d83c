// SPDX-License-Identifier: Apache-2.0
// "pairs": true in a recipe: which of its combinations are made.
#pragma once

#include <cstdint>
#include <vector>

#include "golden/where.h"

namespace opref::golden {

/// Whether the recipe says "pairs": true. Faults: `malformed` (another kind of value).
bool is_paired(const JsonValue& recipe);

/// How many pairs the values of the recipe's `each` make, two of two at a time; UINT64_MAX stands for all numbers from
/// there on. Faults: `malformed` (fewer than two `each`).
std::uint64_t count_paired(const JsonValue& recipe);

/// For each combination which value of each `each` it has. Any two values of two of them are in one of the
/// combinations, but for those that `where` drops, and those that the version in force has not (an attribute, an input,
/// its type, an output) or cannot do without. The recipe is flattened, and has lists in the place of "every". Faults:
/// as of covering_rows and of Every.
std::vector<std::vector<size_t>> paired_choices(const JsonValue& flat_recipe, Where& where);

}  // namespace opref::golden
