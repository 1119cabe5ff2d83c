// GRAPH attributes of JSON cases.
#pragma once

#include "schema/node.h"

namespace opref::run {

/// Reads the attributes that the node's operator takes as graphs, where a case states them as ONNX text; others stay.
/// Faults: those of reading ONNX text.
void read_graph_attributes(Node& node);

}  // namespace opref::run
