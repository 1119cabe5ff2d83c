// SPDX-License-Identifier: Apache-2.0
// Elements of the layers and nets that opref writes. Between the files of the OpenVINO writer; nothing else includes
// this.
#pragma once

#include <cstdint>
#include <pugixml.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "io/case.h"

namespace opref::io {

/// A layer of such an id, at the end of a <layers>.
pugi::xml_node add_layer(pugi::xml_node layers, std::int64_t id, const std::string& name, std::string_view type,
                         std::int64_t opset = 1);

/// The ports of one side, "input" or "output", whose ids begin with `id`; that of the next port is left there. Fault:
/// `unsupported` (OpenVINO has no such element type).
void add_ports(pugi::xml_node layer, const char* side, const std::vector<ValueInfo>& infos, std::int64_t& id);

/// <data> of a Parameter or Const: what it is made of, "..." where the rank is open. Fault: as of add_ports.
pugi::xml_node add_type(pugi::xml_node layer, const ValueInfo& info);

}  // namespace opref::io
