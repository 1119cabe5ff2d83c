// SPDX-License-Identifier: Apache-2.0
// Whether the names of a graph's values are sound.
#pragma once

#include <set>
#include <string_view>

#include "schema/node.h"

namespace opref::run {

/// Each name is given once; inside subgraphs also before it is read, and none hides one of those around. `bound` are
/// names that have values before the first node. Faults: `malformed`, at the node.
void require_sound_names(const Graph& graph, const std::set<std::string_view>& bound);

/// A `malformed` error where the graph has none; where an operator is why, which is not known or not in its opset, that
/// one.
void require_an_output(const Graph& graph);

}  // namespace opref::run
