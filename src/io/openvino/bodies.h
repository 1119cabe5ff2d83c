// SPDX-License-Identifier: Apache-2.0
// The nets inside a layer: bodies, port maps and back edges. Between the files of the OpenVINO reader; nothing else
// includes this.
//
// A port map names ports and layers by their ids. A node has instead, of each body, a graph whose inputs are the body's
// Parameters, and whose outputs are, in the order of the node's outputs, what the Results take; and lists of places:
//
//   <then_port_map> of an If       then_port_map: the input of the node that each input of then_body takes
//   <port_map> of a Loop or of     port_map: the same, -1 is the number of the iteration
//   a TensorIterator               sliced_inputs, start, end, stride, part_size, axis: of the inputs of body that take
//                                  parts, those entries; concatenated_outputs, output_axis, output_start, …: of the
//                                  outputs of the node that are put together
//   <back_edges>                   back_edges: of each input of body the output that it takes next, -1: none; of a
//                                  variable (variables.h) what its Assign takes
//
// The condition of a Loop is the first output of its body; results that only back edges take are the last ones.
#pragma once

#include <filesystem>
#include <vector>

#include "io/openvino/variables.h"
#include "io/openvino/xml.h"
#include "schema/node.h"

namespace opref::io {

struct Bodies {
  std::vector<Attribute> attributes;
  std::vector<FirstValue> firsts;  ///< of the variables of a body; inputs after those of the layer's ports
};

/// Of a layer without bodies nothing. Faults: `malformed` (a port or a layer that is not there, a Parameter without a
/// port …), `unsupported` (see variables.h).
Bodies read_bodies(const XmlDocument& document, pugi::xml_node layer, const std::string& around,
                   const std::filesystem::path& weights);

}  // namespace opref::io
