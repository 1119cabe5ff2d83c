// SPDX-License-Identifier: Apache-2.0
#include "io/openvino/layer.h"

#include <algorithm>
#include <array>
#include <span>
#include <utility>

#include "io/openvino/ir.h"

namespace opref::io {
namespace {

OpenvinoPort read_port(const XmlDocument& document, pugi::xml_node element) {
  OpenvinoPort port{element, {}};
  port.info.dtype = parse_type(document, element, "precision", &DTypeInfo::precision);
  for (const pugi::xml_node dim : element.children("dim")) {
    const auto text = XmlDocument::text_in(dim);
    const auto size = text ? parse_dim(trimmed(*text)) : std::nullopt;
    if (!size)
      document.fail_at(dim, "<dim> is '{}', but must be a size or -1", printable(text.value_or(dim.child_value())));
    if (!port.info.dims) port.info.dims.emplace();
    port.info.dims->push_back(*size);
  }
  return port;
}

void check_names(const XmlDocument& document, pugi::xml_node node, std::span<const std::string_view> attributes,
                 std::span<const std::string_view> children) {
  for (const pugi::xml_attribute attribute : node.attributes()) {
    const std::string_view name = attribute.name();
    if (std::ranges::find(attributes, name) == attributes.end())
      document.fail_at(node, "<{}> has no attribute '{}'{}", XmlDocument::name_of(node), printable(name),
                       did_you_mean(name, attributes));
  }
  for (const pugi::xml_node child : node.children()) {
    const std::string_view name = child.name();
    if (child.type() != pugi::node_element)
      document.fail_at(child, "text in <{}>, which has elements only", XmlDocument::name_of(node));
    if (std::ranges::find(children, name) == children.end())
      document.fail_at(child, "<{}> has no element <{}>{}", XmlDocument::name_of(node), printable(name),
                       did_you_mean(name, children));
  }
}

/// What a person writes by hand may be misspelt; in a net, other programs write what they like.
void check_spelling(const XmlDocument& document, pugi::xml_node layer) {
  using Names = std::vector<std::string_view>;
  const Names layer_attributes = {"id", "name", "type", "version"};
  Names layer_children = {"data", "input", "output", "rt_info"};
  const std::string_view type = layer.attribute("type").value();
  if (type == "If")
    layer_children.insert(layer_children.end(), {"then_port_map", "then_body", "else_port_map", "else_body"});
  if (type == "Loop" || type == "TensorIterator")
    layer_children.insert(layer_children.end(), {"port_map", "back_edges", "body"});
  const Names port_attributes = {"id", "precision", "names"};
  const Names port_children = {"dim", "rt_info"};
  check_names(document, layer, layer_attributes, layer_children);
  for (const char* side : {"input", "output"}) {
    const pugi::xml_node ports = layer.child(side);
    if (ports.next_sibling(side)) document.fail_at(ports.next_sibling(side), "a second <{}> in one layer", side);
    check_names(document, ports, {}, Names{"port"});
    for (const pugi::xml_node port : ports) check_names(document, port, port_attributes, port_children);
  }
}

/// "?,3", a list of sizes, as numbers alone: "-1,3".
std::string with_open_sizes(const XmlDocument& document, pugi::xml_node data, std::string_view text) {
  const auto dims = parse_dims(text);
  if (!dims) document.fail_at(data, "'{}' is no list of sizes", printable(text));
  std::vector<std::int64_t> sizes;
  for (const DeclaredDim& dim : *dims) sizes.push_back(dim.size.value_or(-1));
  return join_text(sizes, ",");
}

}  // namespace

std::optional<DeclaredDim> parse_dim(std::string_view text) {
  if (text == "-1" || text == "?") return DeclaredDim{};
  if (text.find("..") != std::string_view::npos) return DeclaredDim{{}, std::string(text), {}};
  const auto size = parse_count(text);
  if (!size) return std::nullopt;
  return DeclaredDim{*size, {}, {}};
}

std::optional<std::vector<DeclaredDim>> parse_dims(std::string_view text) {
  std::vector<DeclaredDim> dims;
  for (std::string_view rest = trimmed(text); !rest.empty();) {
    const size_t comma = rest.find(',');
    const auto dim = parse_dim(trimmed(rest.substr(0, comma)));
    if (!dim || comma + 1 == rest.size()) return std::nullopt;
    dims.push_back(*dim);
    rest.remove_prefix(comma == std::string_view::npos ? rest.size() : comma + 1);
  }
  return dims;
}

std::optional<DType> parse_type(const XmlDocument& document, pugi::xml_node node, const char* attribute,
                                std::string_view DTypeInfo::*name) {
  const std::string_view text = node.attribute(attribute).value();
  constexpr std::array<std::string_view, 5> kOpen = {"", "dynamic", "undefined", "DYNAMIC", "UNSPECIFIED"};
  if (std::ranges::find(kOpen, text) != kOpen.end()) return std::nullopt;
  std::vector<std::string_view> names;
  for (const DTypeInfo& type : all_dtypes()) {
    if (type.*name == text) return type.dtype;
    if (!(type.*name).empty()) names.push_back(type.*name);
  }
  fail(Fault::unsupported, "{}: {} '{}' is not known{}", document.line_and_column(node), attribute, printable(text),
       did_you_mean(text, names));
}

std::vector<std::byte> with_bits_turned(std::span<const std::byte> bytes) {
  std::vector<std::byte> turned(bytes.size());
  std::ranges::transform(bytes, turned.begin(), [](std::byte byte) {
    std::byte other{0};
    for (int bit = 0; bit < 8; ++bit)
      if ((byte >> bit & std::byte{1}) != std::byte{0}) other |= std::byte{0x80} >> bit;
    return other;
  });
  return turned;
}

std::vector<OpenvinoPort> read_ports(const XmlDocument& document, pugi::xml_node layer, const char* side) {
  std::vector<OpenvinoPort> ports;
  for (const pugi::xml_node port : layer.child(side).children("port")) ports.push_back(read_port(document, port));
  return ports;
}

std::int64_t opset_of(const XmlDocument& document, pugi::xml_node layer) {
  const pugi::xml_attribute version = layer.attribute("version");
  if (!version) return 1;
  const std::string_view text = version.value();
  if (text == "extension") {
    fail(Fault::unsupported, "{}: version '{}': the layer is of no opset", document.line_and_column(layer), text);
  }
  const auto opset = text.starts_with("opset") ? parse_count(text.substr(5)) : std::nullopt;
  if (!opset || *opset < 1)
    document.fail_at(layer, "version is '{}', but must be opset1, opset2, … or extension", printable(text));
  return *opset;
}

Node read_node(const XmlDocument& document, pugi::xml_node layer) {
  Node node;
  node.domain = "openvino";
  node.op_type = document.required(layer, "type");
  node.name = layer.attribute("name").value();
  if (layer.child("data").next_sibling("data"))
    document.fail_at(layer.child("data").next_sibling("data"), "a second <data> in one layer");
  for (const pugi::xml_attribute attribute : layer.child("data").attributes()) {
    std::string text = attribute.value();
    if (std::string_view(attribute.name()) == "variable_shape")
      text = with_open_sizes(document, layer.child("data"), text);
    node.attributes.push_back({attribute.name(), Untyped{{{std::move(text), true}}, false}});
  }
  return node;
}

Case read_openvino_layer(const XmlDocument& document, pugi::xml_node layer, const std::filesystem::path& weights) {
  check_spelling(document, layer);
  Case loaded{};
  loaded.format = CaseFormat::openvino_layer;
  Graph& graph = loaded.graph;
  graph.opset_import["openvino"] = opset_of(document, layer);
  require_ordered_variables(document, layer);
  auto [node, firsts] = node_of_layer(document, layer, "", weights);
  const auto add = [&](const char* side, std::vector<std::string>& names, std::vector<ValueInfo>& infos) {
    for (OpenvinoPort& port : read_ports(document, layer, side)) {
      names.push_back(format("{}_{}", side, names.size()));
      port.info.name = names.back();
      infos.push_back(std::move(port.info));
    }
  };
  add("input", node.inputs, graph.inputs);
  for (FirstValue& first : firsts) {
    node.inputs.push_back(first.value.name);
    loaded.inputs.push_back(constant_input(std::move(first.value)));
  }
  add("output", node.outputs, graph.outputs);
  graph.nodes.push_back(std::move(node));
  return loaded;
}

}  // namespace opref::io
