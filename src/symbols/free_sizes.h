// SPDX-License-Identifier: Apache-2.0
// The sizes that a model leaves free, and the symbols that stand for them.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "run/symbol_names.h"
#include "schema/node.h"

namespace opref::symbols {
using namespace run;

struct FreeSize {
  /// An axis of an input.
  struct Place {
    std::string input;
    size_t axis;
  };

  std::string symbol;
  std::string declared;  ///< by the model; empty where it has no name there
  std::vector<Place> places;
};

/// Of the graph's inputs that are tensors of known rank, in their order; a name that the model declares is one size,
/// wherever it stands. Its symbol is the name itself, with "_" for each character that no identifier has, behind "_"
/// where a digit comes first; "?", a number and no name are the input's name and the axis, "x_0". Where symbols would
/// meet, or one is reserved, the later one has "_2", "_3" … behind it; names that are identifiers already come first.
std::vector<FreeSize> free_sizes(const Graph& graph);

}  // namespace opref::symbols
