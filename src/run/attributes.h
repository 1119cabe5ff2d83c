// SPDX-License-Identifier: Apache-2.0
// Attributes as a user writes them: those of the command line, and graphs.
#pragma once
#include "core/error.h"

#include <string>
#include <vector>

#include "schema/node.h"

namespace opref::run {

/// An attribute in the place of one that other programs have: "auto_pad=SAME_UPPER".
inline constexpr Remedy kOtherAttribute{"other_attribute"};

/// Sets attributes of the graph's only node, instead of those that it states. Each argument is NAME=VALUE: what the
/// operator takes as a STRING or a GRAPH is the text as it stands, anything else a list, "3,3", "[3]" or
/// "[\"a,b\", c]", or without brackets and commas one value. Faults: `usage`.
void override_attributes(Graph& graph, const std::vector<std::string>& arguments);

/// Reads the attributes that nodes' operators take as graphs, where they are stated as ONNX text; others stay. Faults:
/// those of reading ONNX text.
void read_graph_attributes(Graph& graph);

/// What an attribute probably is that no schema knows, or that does not fit it.
AttributeType likely_type(const Untyped& untyped);

/// As it is stated: "[2,2]", "SAME_UPPER".
std::string attribute_text(const Attribute& attribute);

}  // namespace opref::run
