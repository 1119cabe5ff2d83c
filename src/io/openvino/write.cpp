// SPDX-License-Identifier: Apache-2.0
// Writing layers.
#include <algorithm>
#include <map>
#include <pugixml.hpp>
#include <sstream>

#include "core/error.h"
#include "io/openvino/layer.h"
#include "io/openvino/openvino.h"
#include "io/openvino/written.h"

namespace opref::io {
namespace {

/// As IR files write values: lists as "2,2".
std::string attribute_text(const Attribute& attribute) {
  if (const auto* untyped = std::get_if<Untyped>(&attribute.value)) {
    std::vector<std::string> items;
    for (const UntypedItem& item : untyped->items) items.push_back(item.text);
    return join_text(items, ",");
  }
  const auto& value = std::get<AttributeValue>(attribute.value);
  if (const auto* text = std::get_if<std::string>(&value.value)) return *text;
  if (value.type > AttributeType::STRING && (value.type < AttributeType::FLOATS || value.type > AttributeType::STRINGS))
    fail(Fault::unsupported, "attribute '{}' cannot be written in a layer", printable(attribute.name));
  if (const auto* list = std::get_if<std::vector<std::int64_t>>(&value.value)) return join_text(*list, ",");
  if (const auto* list = std::get_if<std::vector<std::string>>(&value.value)) return join_text(*list, ",");
  if (const auto* list = std::get_if<std::vector<float>>(&value.value))
    return join_text(std::vector<double>(list->begin(), list->end()), ",");
  return to_text(value);
}

bool is_xml_name(std::string_view name) {
  const auto is_letter = [](char c) { return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '_'; };
  return !name.empty() && is_letter(name.front()) && std::ranges::all_of(name, [&](char c) {
    return is_letter(c) || (c >= '0' && c <= '9') || c == '-' || c == '.';
  });
}

/// Those that are no bodies, and no part of their port maps.
void add_attributes(pugi::xml_node layer, const Node& node) {
  const bool has_bodies =
      std::ranges::any_of(node.attributes, [](const Attribute& a) { return subgraph(a) != nullptr; });
  if (node.attributes.empty() || has_bodies) return;
  pugi::xml_node data = layer.append_child("data");
  for (const Attribute& attribute : node.attributes) {
    if (!is_xml_name(attribute.name))
      fail(Fault::unsupported, "attribute '{}' cannot be written in a layer", printable(attribute.name));
    data.append_attribute(attribute.name.c_str()).set_value(attribute_text(attribute).c_str());
  }
}

/// The nets inside a layer, whose Consts come into the .bin.
class BodyWriter {
 public:
  BodyWriter(pugi::xml_node layer, const Node& node, const std::vector<ValueInfo>& inputs, std::string& weights)
      : layer_(layer), node_(node), inputs_(inputs), weights_(weights) {}

  void write() {
    const bool is_loop = node_.op_type == "Loop";
    for (const Attribute& attribute : node_.attributes) {
      const Graph* graph = subgraph(attribute);
      if (graph == nullptr) continue;
      const bool is_if = attribute.name != "body";
      const std::string map_name = is_if ? attribute.name.substr(0, 4) + "_port_map" : "port_map";
      const Numbers ports = ports_of(*graph, map_name, is_if ? 1 : is_loop ? 2 : 0);
      const Ids ids = add_net(layer_.append_child(attribute.name.c_str()), *graph, ports);
      add_map(layer_.append_child(map_name.c_str()), *graph, ids, ports, is_loop ? 1 : 0);
      if (!is_if) add_back_edges(ids);
    }
  }

 private:
  using Numbers = std::vector<std::int64_t>;
  struct Ids {
    std::vector<std::int64_t> parameters, results;
  };

  Numbers numbers(std::string_view name) const {
    const auto found = std::ranges::find(node_.attributes, name, &Attribute::name);
    if (found == node_.attributes.end()) return {};
    const auto* untyped = std::get_if<Untyped>(&found->value);
    const AttributeValue value =
        untyped != nullptr ? coerce(name, *untyped, AttributeType::INTS) : std::get<AttributeValue>(found->value);
    return std::get<Numbers>(value.value);
  }

  Numbers ports_of(const Graph& graph, std::string_view map, size_t first) const {
    Numbers ports = numbers(map);
    for (size_t k = ports.size(); k < graph.inputs.size(); ++k) ports.push_back(static_cast<std::int64_t>(first + k));
    return ports;
  }

  /// Layers 0, 1, …: Parameters, Consts, nodes, Results.
  Ids add_net(pugi::xml_node body, const Graph& graph, const Numbers& ports) {
    pugi::xml_node layers = body.append_child("layers"), edges = body.append_child("edges");
    std::map<std::string, std::pair<std::int64_t, std::int64_t>> givers;
    Ids ids;
    std::int64_t id = 0;
    const auto connect = [&](const std::string& tensor, std::int64_t layer, std::int64_t port) {
      const auto giver = givers.find(tensor);
      if (giver == givers.end())
        fail(Fault::unsupported, "a body reads '{}' from around it, which a layer cannot state", printable(tensor));
      pugi::xml_node edge = edges.append_child("edge");
      const auto [from, from_port] = giver->second;
      for (const auto& [name, value] :
           {std::pair("from-layer", from), {"from-port", from_port}, {"to-layer", layer}, {"to-port", port}})
        edge.append_attribute(name).set_value(static_cast<long long>(value));
    };
    for (size_t k = 0; k < graph.inputs.size(); ++k) {
      ValueInfo info = graph.inputs[k];
      if (!info.dtype) info.dtype = ports[k] < 0 ? DType::int64 : inputs_.at(static_cast<size_t>(ports[k])).dtype;
      pugi::xml_node layer = add_layer(layers, id, info.name, "Parameter");
      add_type(layer, info);
      std::int64_t port = 0;
      add_ports(layer, "output", {info}, port);
      ids.parameters.push_back(id);
      givers.emplace(info.name, std::pair(id++, std::int64_t{0}));
    }
    for (const Initializer& initializer : graph.initializers) {
      const auto* tensor = std::get_if<Tensor>(&initializer.value);
      if (tensor == nullptr || tensor->dtype() == DType::string)
        fail(Fault::unsupported, "'{}' cannot be written as a Const", printable(initializer.name));
      add_constant(add_layer(layers, id, initializer.name, "Const"), *tensor);
      givers.emplace(initializer.name, std::pair(id++, std::int64_t{0}));
    }
    for (const Node& node : graph.nodes) {
      if (node.domain != "openvino")
        fail(Fault::unsupported, "a layer has no node of another domain inside it, such as {}",
             printable(node.op_type));
      pugi::xml_node layer = add_layer(layers, id, node.outputs.at(0), node.op_type, node.opset.value_or(1));
      add_attributes(layer, node);
      std::int64_t port = 0;
      std::vector<ValueInfo> inputs;
      for (const std::string& name : node.inputs) {
        connect(name, id, std::ssize(inputs));
        inputs.push_back({name, "", {}, {}});
      }
      add_ports(layer, "input", inputs, port);
      for (const std::string& name : node.outputs) givers.emplace(name, std::pair(id, port + ports_before(node, name)));
      std::vector<ValueInfo> outputs;
      for (const std::string& name : node.outputs) {
        const ValueInfo* declared = declaration(graph, name);
        outputs.push_back(declared == nullptr ? ValueInfo{name, "", {}, {}} : *declared);
      }
      add_ports(layer, "output", outputs, port);
      for (pugi::xml_node output : layer.child("output").children("port"))
        if (!output.attribute("precision")) output.append_attribute("precision").set_value("dynamic");
      BodyWriter(layer, node, inputs, weights_).write();
      ++id;
    }
    for (const ValueInfo& output : graph.outputs) {
      pugi::xml_node layer = add_layer(layers, id, format("result_{}", ids.results.size()), "Result");
      std::int64_t port = 0;
      add_ports(layer, "input", std::vector<ValueInfo>(1), port);
      connect(output.name, id, 0);
      ids.results.push_back(id++);
    }
    return ids;
  }

  static std::int64_t ports_before(const Node& node, const std::string& output) {
    return std::ranges::find(node.outputs, output) - node.outputs.begin();
  }

  void add_constant(pugi::xml_node layer, const Tensor& tensor) {
    constexpr size_t kAligned = 8;
    ValueInfo info{"", "", tensor.dtype(), std::vector<DeclaredDim>{}};
    for (const std::int64_t size : tensor.shape()) info.dims->push_back({size, "", ""});
    const bool is_turned = tensor.dtype() == DType::uint1;
    const std::vector<std::byte> turned = is_turned ? with_bits_turned(tensor.bytes()) : std::vector<std::byte>();
    const auto bytes = is_turned ? std::span(turned) : tensor.bytes();
    pugi::xml_node data = add_type(layer, info);
    data.append_attribute("offset").set_value(static_cast<unsigned long long>(weights_.size()));
    data.append_attribute("size").set_value(static_cast<unsigned long long>(bytes.size()));
    weights_.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    weights_.resize((weights_.size() + kAligned - 1) / kAligned * kAligned);
    std::int64_t port = 0;
    add_ports(layer, "output", {info}, port);
  }

  /// Entries of the inputs and outputs of the body, with what is said of parts.
  void add_map(pugi::xml_node map, const Graph& graph, const Ids& ids, const Numbers& ports, size_t own) {
    const Numbers sliced = numbers("sliced_inputs"), together = numbers("concatenated_outputs");
    const auto say = [&](pugi::xml_node entry, const Numbers& places, size_t place,
                         std::initializer_list<std::pair<const char*, const char*>> lists) {
      const auto found = std::ranges::find(places, static_cast<std::int64_t>(place));
      if (found == places.end()) return;
      for (const auto& [list, name] : lists) {
        const Numbers values = numbers(list);
        const auto k = static_cast<size_t>(found - places.begin());
        if (k < values.size() || std::string_view(name) == "axis")
          entry.append_attribute(name).set_value(k < values.size() ? static_cast<long long>(values[k]) : 0);
      }
    };
    const auto add = [&](const char* side, std::int64_t port, std::int64_t id, const char* purpose) {
      pugi::xml_node entry = map.append_child(side);
      entry.append_attribute("external_port_id").set_value(static_cast<long long>(port));
      entry.append_attribute("internal_layer_id").set_value(static_cast<long long>(id));
      if (port < 0) entry.append_attribute("purpose").set_value(purpose);
      return entry;
    };
    for (size_t k = 0; k < ports.size(); ++k)
      say(add("input", ports[k], ids.parameters[k], "current_iteration"), sliced, k,
          {{"axis", "axis"}, {"start", "start"}, {"end", "end"}, {"stride", "stride"}, {"part_size", "part_size"}});
    if (own > 0) add("output", -1, ids.results[0], "execution_condition");
    for (size_t k = 0; k < node_.outputs.size(); ++k) {
      pugi::xml_node entry =
          add("output", static_cast<std::int64_t>(node_.inputs.size() + k), ids.results[own + k], "");
      say(entry, together, k,
          {{"output_axis", "axis"},
           {"output_start", "start"},
           {"output_end", "end"},
           {"output_stride", "stride"},
           {"output_part_size", "part_size"}});
      if (entry.attribute("axis")) say_part_size(entry, graph.outputs[own + k]);
    }
  }

  /// A layer's part has one element along the axis, unless it says so; a node's has as many as body declares.
  static void say_part_size(pugi::xml_node entry, const ValueInfo& part) {
    const std::int64_t axis = entry.attribute("axis").as_llong(), rank = part.dims ? std::ssize(*part.dims) : 0;
    if (entry.attribute("part_size") || axis < -rank || axis >= rank) return;
    const auto size = (*part.dims)[static_cast<size_t>(axis < 0 ? axis + rank : axis)].size;
    if (!size || *size == 1) return;
    entry.append_attribute("part_size").set_value(static_cast<long long>(*size));
    pugi::xml_attribute stride = entry.attribute("stride");
    if (!stride) stride = entry.append_attribute("stride");
    stride.set_value(static_cast<long long>(stride.as_llong() < 0 ? -*size : *size));
  }

  void add_back_edges(const Ids& ids) {
    const Numbers edges = numbers("back_edges");
    pugi::xml_node element = layer_.append_child("back_edges");
    for (size_t k = 0; k < edges.size(); ++k) {
      if (edges[k] < 0) continue;
      pugi::xml_node edge = element.append_child("edge");
      edge.append_attribute("from-layer")
          .set_value(static_cast<long long>(ids.results.at(static_cast<size_t>(edges[k]))));
      edge.append_attribute("to-layer").set_value(static_cast<long long>(ids.parameters.at(k)));
    }
  }

  pugi::xml_node layer_;
  const Node& node_;
  const std::vector<ValueInfo>& inputs_;
  std::string& weights_;
};

}  // namespace

WrittenNet openvino_layer(const Node& node, std::int64_t opset, const std::vector<ValueInfo>& inputs,
                          const std::vector<ValueInfo>& outputs) {
  pugi::xml_document document;
  pugi::xml_node layer = add_layer(document, 0, node.name.empty() ? node.op_type : node.name, node.op_type, opset);
  add_attributes(layer, node);
  std::int64_t id = 0;
  add_ports(layer, "input", inputs, id);
  add_ports(layer, "output", outputs, id);
  WrittenNet written;
  std::string weights;
  BodyWriter(layer, node, inputs, weights).write();
  if (!weights.empty()) written.weights = std::move(weights);
  std::ostringstream text;
  document.save(text, "  ");
  written.text = std::move(text).str();
  return written;
}

}  // namespace opref::io
