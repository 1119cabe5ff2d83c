#include "spec/node.h"

#include "core/error.h"

namespace opref {

std::string to_text(const Node& node) {
  const std::string op_type = printable(node.op_type);
  return node.name.empty() ? format("node {}", op_type) : format("node '{}' ({})", printable(node.name), op_type);
}

std::string_view canonical_domain(std::string_view domain) { return domain == "ai.onnx" ? "" : domain; }

}  // namespace opref
