// SPDX-License-Identifier: Apache-2.0
#include "ops/branches.h"

namespace opref::ops {

std::optional<Branches> branches_of(const schema::Node& node) {
  if (node.op_type != "If" || !schema::canonical_domain(node.domain).empty()) return std::nullopt;
  return Branches{0, "then_branch", "else_branch"};
}

schema::Node node_that_copies(std::string input, std::string output) {
  schema::Node node;
  node.op_type = "Identity";
  node.inputs = {std::move(input)};
  node.outputs = {std::move(output)};
  return node;
}

}  // namespace opref::ops
