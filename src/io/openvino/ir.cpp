// SPDX-License-Identifier: Apache-2.0
#include "io/openvino/ir.h"

#include <algorithm>
#include <utility>

#include "io/openvino/bodies.h"
#include "system/machine_error.h"

namespace opref::io {
namespace {

namespace fs = std::filesystem;

/// Adds the layers that are nodes, each after those that it takes from. Returns what they take that no layer gives.
std::vector<FirstValue> add_nodes(const XmlDocument& document, const Net& net, const std::string& around,
                                  const fs::path& weights, Graph& graph) {
  std::vector<FirstValue> firsts;
  for (const size_t place : net.sorted()) {
    const Layer& layer = net.layers()[place];
    if (layer.role != Layer::Role::node) continue;
    auto [node, its_firsts] = node_of_layer(document, layer.element, around, weights);
    node.opset = opset_of(document, layer.element);
    for (size_t i = 0; i < layer.inputs.size(); ++i) node.inputs.push_back(net.given_to(layer, i).name);
    for (FirstValue& first : its_firsts) {
      node.inputs.push_back(first.value.name);
      firsts.push_back(std::move(first));
    }
    for (const OpenvinoPort& port : layer.outputs) {
      node.outputs.push_back(port.info.name);
      graph.declared.push_back(port.info);
    }
    graph.nodes.push_back(std::move(node));
  }
  return firsts;
}

/// The values, or why they cannot be read: whoever needs them says so.
Initializer held(const ConstantPlace& constant, const fs::path& weights) {
  try {
    return {constant.name, constant.read(weights, INT64_MAX)};
  } catch (const Error& error) {
    pass_on(error);
    return {constant.name, Opaque{std::make_shared<const Error>(error)}};
  }
}

void add_once(std::vector<ValueInfo>& outputs, const ValueInfo& info) {
  if (std::ranges::find(outputs, info.name, &ValueInfo::name) == outputs.end()) outputs.push_back(info);
}

void require_version(pugi::xml_node net) {
  if (const auto number = parse_count(net.attribute("version").value()); number && *number < 10)
    fail(Fault::unsupported, "IR version {} is not known; OpenVINO has written 10 and 11 since 2020", *number);
}

}  // namespace

NamedSource constant_input(Initializer initializer) {
  const auto load = [value = std::move(initializer.value)](std::int64_t) -> Value {
    if (const auto* unread = std::get_if<Opaque>(&value)) throw Error(*unread->why);
    return std::get<Tensor>(value);
  };
  return {std::move(initializer.name), {TensorSource::Loaded{load}}};
}

LayerNode node_of_layer(const XmlDocument& document, pugi::xml_node layer, const std::string& around,
                        const fs::path& weights) {
  LayerNode read{read_node(document, layer), {}};
  Bodies bodies = read_bodies(document, layer, around, weights);
  for (Attribute& attribute : bodies.attributes) read.node.attributes.push_back(std::move(attribute));
  read.firsts = std::move(bodies.firsts);
  return read;
}

Graph graph_of_body(const XmlDocument& document, const Net& body, const std::string& around, const fs::path& weights) {
  Graph graph;
  for (FirstValue& first : add_nodes(document, body, around, weights, graph))
    graph.initializers.push_back(std::move(first.value));
  for (const Layer& layer : body.layers()) {
    if (layer.role == Layer::Role::parameter) graph.inputs.push_back(body.data_type(layer));
    if (const auto constant = body.constant(layer)) graph.initializers.push_back(held(*constant, weights));
    if (layer.role == Layer::Role::result) graph.outputs.push_back(body.given_to(layer, 0));
  }
  return graph;
}

Case read_openvino_ir(const XmlDocument& document, pugi::xml_node element, const fs::path& weights) {
  require_version(element);
  const Net net(document, element, "");
  Case loaded{};
  loaded.format = CaseFormat::openvino_ir;
  Graph& graph = loaded.graph;
  graph.name = element.attribute("name").value();
  graph.aliases = net.aliases();
  require_ordered_variables(document, element);
  for (FirstValue& first : add_nodes(document, net, "", weights, graph)) {
    graph.aliases.push_back({std::move(first.variable), first.value.name});
    loaded.inputs.push_back(constant_input(std::move(first.value)));
  }
  std::int64_t& opset = graph.opset_import["openvino"];
  for (const Node& node : graph.nodes) opset = std::max(opset, *node.opset);
  for (const Layer& layer : net.layers()) {
    if (layer.role == Layer::Role::parameter) graph.inputs.push_back(net.data_type(layer));
    if (layer.role == Layer::Role::result) add_once(graph.outputs, net.given_to(layer, 0));
    if (const auto constant = net.constant(layer)) {
      TensorSource source;
      source.from =
          TensorSource::Loaded{[=](std::int64_t max_bytes) -> Value { return constant->read(weights, max_bytes); }};
      loaded.inputs.push_back({constant->name, std::move(source)});
    }
  }
  for (const Layer& layer : net.layers())
    if (layer.assigns() && layer.outputs.size() == 1) add_once(graph.outputs, layer.outputs[0].info);
  if (graph.nodes.empty()) document.fail_at(element, "the net has no operators");
  if (graph.outputs.empty()) document.fail_at(element, "the net has no Result: nothing says what it gives");
  return loaded;
}

}  // namespace opref::io
