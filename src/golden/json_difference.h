// SPDX-License-Identifier: Apache-2.0
// Parts of JSON documents by their paths, and where two documents differ.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "io/json/tree.h"

namespace opref::golden {

/// How a path goes on, ".node" or "[3]", and what is there.
using JsonPart = std::pair<std::string, JsonValue>;
/// What a list or an object holds, in its order; of other values nothing.
std::vector<JsonPart> parts_of(const JsonValue& value);

struct JsonDifference {
  std::string path;           ///< "cases[3].node.opset"
  std::string first, second;  ///< the values in short; "absent"
};

/// Where the values differ, as text and in the order of the first; at most `most` places, the deepest ones.
std::vector<JsonDifference> differences(const JsonValue& first, const JsonValue& second, size_t most);

}  // namespace opref::golden
