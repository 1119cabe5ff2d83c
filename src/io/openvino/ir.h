// SPDX-License-Identifier: Apache-2.0
// OpenVINO's IR: a <net> of layers and edges. Between the files of the OpenVINO reader; nothing else includes this.
#pragma once

#include <filesystem>
#include <string>

#include "io/case.h"
#include "io/openvino/net.h"
#include "io/openvino/variables.h"
#include "io/openvino/xml.h"

namespace opref::io {

/// `weights` is the .bin, from which the values of a Const are read when they are asked for; empty: there is none.
Case read_openvino_ir(const XmlDocument& document, pugi::xml_node net, const std::filesystem::path& weights);

/// A node that has no inputs and outputs yet, and the inputs that come after those of the layer's ports.
struct LayerNode {
  Node node;
  std::vector<FirstValue> firsts;
};
/// With its attributes and the nets inside it (bodies.h), whose tensors' names begin with `around` and the layer's
/// name.
LayerNode node_of_layer(const XmlDocument& document, pugi::xml_node layer, const std::string& around,
                        const std::filesystem::path& weights);

/// An input of a case that has its value already, as a Const has.
NamedSource constant_input(Initializer initializer);

/// The graph of a body: its inputs are the Parameters, its outputs what the Results take, as they come in the file. It
/// holds the values of its Consts.
Graph graph_of_body(const XmlDocument& document, const Net& body, const std::string& around,
                    const std::filesystem::path& weights);

}  // namespace opref::io
