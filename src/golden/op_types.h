// SPDX-License-Identifier: Apache-2.0
// Recipes that several operators share.
#pragma once

#include <vector>

#include "io/json/tree.h"

namespace opref::golden {

/// The recipes of each operator. A file {"op_types": [A, B], "recipes": […]} stands for as many: each recipe is A's,
/// then B's, and {"respectively": [x, y]} in it is x for A and y for B. Any other file is one, as it is. Faults:
/// `malformed` (keys beside these, an empty list, a `respectively` of another length).
std::vector<Json> by_op_type(Json file);

}  // namespace opref::golden
