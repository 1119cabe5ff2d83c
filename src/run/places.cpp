// SPDX-License-Identifier: Apache-2.0
#include "run/places.h"

namespace opref::run {

std::string place_of(const Node& node, const Version* version) {
  const std::string number = version == nullptr ? "" : format("-{}", version->schema.since_version());
  const std::string title = printable(node.op_type) + number;
  return node.name.empty() ? format("in {}", title) : format("in node '{}' ({})", printable(node.name), title);
}

}  // namespace opref::run
