// SPDX-License-Identifier: Apache-2.0
// Nodes that evaluate one of two graphs.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "schema/node.h"

namespace opref::ops {

/// Graphs without inputs, whose outputs are the node's; the input is one boolean.
struct Branches {
  std::size_t condition;               ///< the place of the input
  std::string_view if_true, if_false;  ///< attributes
};

/// Nothing of nodes that choose no graph.
std::optional<Branches> branches_of(const schema::Node& node);

/// A node that gives what it reads.
schema::Node node_that_copies(std::string input, std::string output);

}  // namespace opref::ops
