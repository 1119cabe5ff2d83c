// SPDX-License-Identifier: Apache-2.0
#include "io/openvino/written.h"

#include "core/error.h"

namespace opref::io {
namespace {

/// By one of the names that OpenVINO has for types.
std::string type_name(DType type, std::string_view DTypeInfo::*name) {
  const std::string text(core::info(type).*name);
  if (text.empty()) fail(Fault::unsupported, "OpenVINO has no type {}", type);
  return text;
}

}  // namespace

pugi::xml_node add_layer(pugi::xml_node layers, std::int64_t id, const std::string& name, std::string_view type,
                         std::int64_t opset) {
  pugi::xml_node layer = layers.append_child("layer");
  layer.append_attribute("id").set_value(static_cast<long long>(id));
  layer.append_attribute("name").set_value(name.c_str());
  layer.append_attribute("type").set_value(std::string(type).c_str());
  layer.append_attribute("version").set_value(format("opset{}", opset).c_str());
  return layer;
}

void add_ports(pugi::xml_node layer, const char* side, const std::vector<ValueInfo>& infos, std::int64_t& id) {
  if (infos.empty()) return;
  pugi::xml_node ports = layer.append_child(side);
  for (const ValueInfo& info : infos) {
    pugi::xml_node port = ports.append_child("port");
    port.append_attribute("id").set_value(static_cast<long long>(id++));
    if (info.dtype) port.append_attribute("precision").set_value(type_name(*info.dtype, &DTypeInfo::precision).c_str());
    for (const DeclaredDim& dim : info.dims.value_or(std::vector<DeclaredDim>{}))
      port.append_child("dim").text().set(dim.size ? std::to_string(*dim.size).c_str() : "-1");
  }
}

pugi::xml_node add_type(pugi::xml_node layer, const ValueInfo& info) {
  std::vector<std::string> sizes;
  if (!info.dims) sizes = {"..."};
  for (const DeclaredDim& dim : info.dims.value_or(std::vector<DeclaredDim>{}))
    sizes.push_back(dim.size ? std::to_string(*dim.size) : "?");
  pugi::xml_node data = layer.append_child("data");
  data.append_attribute("element_type").set_value(type_name(info.dtype.value(), &DTypeInfo::openvino).c_str());
  data.append_attribute("shape").set_value(join_text(sizes, ",").c_str());
  return data;
}

}  // namespace opref::io
