// SPDX-License-Identifier: Apache-2.0
// Conditions that are known before anything is computed: their branches stand in the graph itself.
#pragma once

#include <string>
#include <vector>

#include "run/bind.h"

namespace opref::run {

/// Of several nodes, one that evaluates one of two graphs gives way to the nodes of the graph that it takes, where the
/// condition follows from what is given and what the model holds by as little as `infer` computes. Tensors of that
/// graph keep their names unless others have them; its outputs have the node's. Nodes with several graphs inside each
/// other give way together. Says which were taken, a sentence each.
std::vector<std::string> take_branches(Bound& bound);

}  // namespace opref::run
