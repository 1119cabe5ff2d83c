// SPDX-License-Identifier: Apache-2.0
// Types that follow from values which nobody knows: values are drawn.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "run/evaluate.h"

namespace opref::symbols {

using namespace run;

/// A node with the types that drawn values give it.
struct DrawnStep {
  Step step;
  std::vector<std::vector<bool>> differs;  ///< of each output: the axes whose sizes other values change
};

/// Draws values for inputs of the node that have none, up to four times: of short lists of whole numbers and truths
/// alone where they decide the types, else of all inputs, where none has more than 4,096 elements. Nothing where a rank
/// differs, where branches differ, or where no values work. The same key draws the same values.
std::optional<DrawnStep> draw_types(const Graph& graph, const Node& node, const Environment& environment,
                                    const EvaluationOptions& options, std::uint64_t key);

}  // namespace opref::symbols
