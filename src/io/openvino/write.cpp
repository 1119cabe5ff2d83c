// SPDX-License-Identifier: Apache-2.0
// Writing layers.
#include <algorithm>
#include <pugixml.hpp>
#include <sstream>

#include "core/error.h"
#include "io/openvino/openvino.h"

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

void add_ports(pugi::xml_node layer, const char* side, const std::vector<ValueInfo>& infos, size_t& id) {
  if (infos.empty()) return;
  pugi::xml_node ports = layer.append_child(side);
  for (const ValueInfo& info : infos) {
    pugi::xml_node port = ports.append_child("port");
    port.append_attribute("id").set_value(static_cast<unsigned long long>(id++));
    if (info.dtype) {
      const std::string precision(core::info(*info.dtype).precision);
      if (precision.empty()) fail(Fault::unsupported, "OpenVINO has no type {}", *info.dtype);
      port.append_attribute("precision").set_value(precision.c_str());
    }
    for (const DeclaredDim& dim : info.dims.value_or(std::vector<DeclaredDim>{}))
      port.append_child("dim").text().set(dim.size ? std::to_string(*dim.size).c_str() : "-1");
  }
}

}  // namespace

std::string openvino_layer_text(const Node& node, std::int64_t opset, const std::vector<ValueInfo>& inputs,
                                const std::vector<ValueInfo>& outputs) {
  pugi::xml_document document;
  pugi::xml_node layer = document.append_child("layer");
  layer.append_attribute("id").set_value(0);
  layer.append_attribute("name").set_value(node.name.empty() ? node.op_type.c_str() : node.name.c_str());
  layer.append_attribute("type").set_value(node.op_type.c_str());
  layer.append_attribute("version").set_value(format("opset{}", opset).c_str());
  if (!node.attributes.empty()) {
    pugi::xml_node data = layer.append_child("data");
    for (const Attribute& attribute : node.attributes) {
      if (!is_xml_name(attribute.name))
        fail(Fault::unsupported, "attribute '{}' cannot be written in a layer", printable(attribute.name));
      data.append_attribute(attribute.name.c_str()).set_value(attribute_text(attribute).c_str());
    }
  }
  size_t id = 0;
  add_ports(layer, "input", inputs, id);
  add_ports(layer, "output", outputs, id);
  std::ostringstream text;
  document.save(text, "  ");
  return text.str();
}

}  // namespace opref::io
