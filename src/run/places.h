// SPDX-License-Identifier: Apache-2.0
// Where in a graph something happens, for messages.
#pragma once

#include <string>

#include "core/error.h"
#include "schema/node.h"
#include "schema/operator.h"

namespace opref::run {

/// "in node 'n' (LpPool-18)", or "in LpPool-18" for one without a name; null: the version is not known.
inline std::string place_of(const Node& node, const Version* version = nullptr) {
  const std::string number = version == nullptr ? "" : format("-{}", version->schema.since_version());
  const std::string title = printable(node.op_type) + number;
  return node.name.empty() ? format("in {}", title) : format("in node '{}' ({})", printable(node.name), title);
}

/// Runs `visit` with each subgraph of the node, at its place.
template <class Visit>
void each_subgraph(const Node& node, const Visit& visit) {
  for (const Attribute& attribute : node.attributes)
    if (const Graph* graph = subgraph(attribute))
      at_place([&] { return format("in {}", printable(attribute.name)); }, [&] { visit(*graph); });
}

}  // namespace opref::run
