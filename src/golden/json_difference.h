// SPDX-License-Identifier: Apache-2.0
// Where two JSON documents differ.
#pragma once

#include <string>
#include <vector>

#include "io/json/tree.h"

namespace opref::golden {

struct JsonDifference {
  std::string path;           ///< "cases[3].node.opset"
  std::string first, second;  ///< the values in short; "absent"
};

/// Where the values differ, as text and in the order of the first; at most `most` places, the deepest ones.
std::vector<JsonDifference> differences(const JsonValue& first, const JsonValue& second, size_t most);

}  // namespace opref::golden
