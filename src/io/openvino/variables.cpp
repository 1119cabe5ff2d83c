// SPDX-License-Identifier: Apache-2.0
#include "io/openvino/variables.h"

#include <algorithm>
#include <map>

#include "core/error.h"

namespace opref::io {
namespace {

bool is_loop(pugi::xml_node layer) {
  const std::string_view type = layer.attribute("type").value();
  return std::string_view(layer.name()) == "layer" && (type == "Loop" || type == "TensorIterator");
}

/// Zeros of variable_type and variable_shape.
Tensor zeros_of_variable(const XmlDocument& document, const Layer& read) {
  const pugi::xml_node data = read.element.child("data");
  const auto dtype = parse_type(document, data, "variable_type", &DTypeInfo::openvino);
  const auto dims = parse_dims(data.attribute("variable_shape").value());
  if (dtype == DType::string)
    fail(Fault::unsupported, "{}: {} of strings has no init_value", document.line_and_column(read.element), read);
  if (!dtype || !data.attribute("variable_shape") || !dims ||
      std::ranges::any_of(*dims, [](const DeclaredDim& dim) { return !dim.size; }))
    document.fail_at(read.element,
                     "{} has no init_value, so variable_type and variable_shape must say what the variable is", read);
  TensorType type{*dtype, {}};
  for (const DeclaredDim& dim : *dims) type.shape.push_back(*dim.size);
  return TensorBuilder(type).finish();
}

/// What the variable has before the first iteration.
Initializer first_value(const XmlDocument& document, const Layer& read, const Node& node, const Graph& graph) {
  const std::string name = node.outputs[0] + ":first";
  if (node.inputs.empty()) return {name, zeros_of_variable(document, read)};
  const auto constant = std::ranges::find(graph.initializers, node.inputs[0], &Initializer::name);
  if (constant == graph.initializers.end())
    fail(Fault::unsupported,
         "{}: {}: the first value of a variable that a loop carries must be a Const of the body, but '{}' is not",
         document.line_and_column(read.element), read, printable(node.inputs[0]));
  return {name, constant->value};
}

const Layer* assign_of(const Net& net, std::string_view variable) {
  const auto found = std::ranges::find_if(net.layers(), [&](const Layer& layer) {
    return layer.assigns() && layer.inputs.size() == 1 && Net::variable_of(layer) == variable;
  });
  return found == net.layers().end() ? nullptr : &*found;
}

}  // namespace

std::vector<CarriedVariable> carry_variables(const XmlDocument& document, const Net& body, Graph& graph) {
  std::vector<CarriedVariable> carried;
  for (const Layer& layer : body.layers()) {
    const Layer* assign = layer.is("ReadValue") ? assign_of(body, Net::variable_of(layer)) : nullptr;
    if (assign == nullptr || layer.outputs.size() != 1) continue;
    const ValueInfo& given = layer.outputs[0].info;
    const auto node = std::ranges::find_if(
        graph.nodes, [&](const Node& each) { return each.outputs == std::vector<std::string>{given.name}; });
    FirstValue first{std::string(Net::variable_of(layer)), first_value(document, layer, *node, graph)};
    graph.nodes.erase(node);
    graph.inputs.push_back(given);
    graph.outputs.push_back(body.given_to(*assign, 0));
    carried.push_back({graph.inputs.size() - 1, graph.outputs.size() - 1, std::move(first)});
  }
  return carried;
}

void require_ordered_variables(const XmlDocument& document, pugi::xml_node root) {
  std::map<std::string_view, pugi::xml_node> nets;
  for (const pugi::xpath_node& found : root.select_nodes(".//layer[@type='ReadValue' or @type='Assign']")) {
    const pugi::xml_node layer = found.node(), net = layer.parent().parent();
    const std::string_view variable = layer.child("data").attribute("variable_id").value();
    const auto refuse = [&](std::string_view why) {
      fail(Fault::unsupported, "{}: the variable '{}' {}", document.line_and_column(layer), printable(variable), why);
    };
    const pugi::xml_node other = nets.emplace(variable, net).first->second;
    if (other != net && other.parent() != net.parent())
      refuse("is in two nets: which of them is first to read or write it is not known");
    for (pugi::xml_node outer = net.parent().parent(); outer && net != root; outer = outer.parent())
      if (is_loop(outer)) refuse("is in a body inside the body of a loop, which would have to carry it");
  }
}

}  // namespace opref::io
