// SPDX-License-Identifier: Apache-2.0
// A line for each node of a model.
#pragma once

#include <string>

#include "io/case.h"
#include "io/json/tree.h"

namespace opref::cli {

/// "  y = Conv-11 (x, w, b)  # 'conv1'; scope: /layer1/conv": what each node gives and reads, its operator's version in
/// force, its name, and what the file says of it (see NodeNotes). Nodes of subgraphs stand under their node.
std::string node_list_text(const io::Case& model);
io::Json node_list_json(const io::Case& model);

}  // namespace opref::cli
