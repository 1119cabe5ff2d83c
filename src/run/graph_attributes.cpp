#include "run/graph_attributes.h"

#include <algorithm>

#include "core/error.h"
#include "io/onnx/onnx.h"
#include "ops/operators.h"

namespace opref::run {
namespace {

bool takes_graph(const Operator& op, std::string_view attribute) {
  return std::ranges::any_of(op.versions(), [&](const OpSchema& version) {
    const AttributeSchema* known = version.find_attribute(attribute);
    return known != nullptr && known->type == AttributeType::GRAPH;
  });
}

}  // namespace

void read_graph_attributes(Node& node) {
  const Operator* op = find_operator(canonical_domain(node.domain), node.op_type);
  if (op == nullptr) return;  // an error of its own, later, at its place
  for (Attribute& attribute : node.attributes) {
    const auto* text = std::get_if<Untyped>(&attribute.value);
    if (text == nullptr || text->is_list || text->items.size() != 1 || !takes_graph(*op, attribute.name)) continue;
    attribute.value =
        at_place([&] { return format("in attribute '{}'", attribute.name); },
                 [&] {
                   Graph graph = read_onnx_text_graph(text->items.front().text);
                   return AttributeValue{AttributeType::GRAPH, std::make_shared<const Graph>(std::move(graph))};
                 });
  }
}

}  // namespace opref::run
