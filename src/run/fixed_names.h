// SPDX-License-Identifier: Apache-2.0
// Models as some exporters write them: names and an order of nodes that IR.md does not allow, made sound.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "io/case.h"

namespace opref::run {

/// Puts nodes behind those whose outputs they read, and gives a tensor of a subgraph that has the name of one around it
/// another name: readers behind it in the subgraph mean the inner one. Functions too. Says what was changed, a sentence
/// each. What has no one meaning stays: cycles, a name that two nodes of one graph give.
/// https://github.com/onnx/onnx/blob/main/docs/IR.md "Names Within a Graph"
std::vector<std::string> fix_names(Case& loaded);
/// Only the new names, and only where a subgraph hides one of `names`, which the graph gives or is given.
void rename_hidden(Graph& graph, const std::set<std::string, std::less<>>& names);

}  // namespace opref::run
