// SPDX-License-Identifier: Apache-2.0
// OpenVINO's IR: a <net> of layers and edges. Between the files of the OpenVINO reader; nothing else includes this.
#pragma once

#include <filesystem>

#include "io/case.h"
#include "io/openvino/xml.h"

namespace opref::io {

/// `weights` is the .bin, from which the values of a Const are read when they are asked for; empty: there is none.
Case read_openvino_ir(const XmlDocument& document, pugi::xml_node net, const std::filesystem::path& weights);

}  // namespace opref::io
