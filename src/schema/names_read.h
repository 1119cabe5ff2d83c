// SPDX-License-Identifier: Apache-2.0
// What the nodes of a graph read.
#pragma once

#include <functional>
#include <string>

#include "schema/node.h"

namespace opref::schema {

/// Calls `visit` with each of names_read(node), perhaps several times: where a set of names is not needed.
void each_name_read(const Node& node, const std::function<void(const std::string& name)>& visit);

}  // namespace opref::schema
