// SPDX-License-Identifier: Apache-2.0
// What a model's file says of its nodes to people: exporters write there which part of a program a node comes from.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "system/file.h"

namespace opref::io {

/// doc_string and metadata_props of a NodeProto.
struct NodeNotes {
  std::string doc_string;
  std::vector<std::pair<std::string, std::string>> metadata;
};

/// By the name of the node's first output; nodes of subgraphs too. Nothing of a file that is no ModelProto in binary,
/// and of nodes of which the file says nothing. Faults: those of read_onnx.
std::map<std::string, NodeNotes, std::less<>> read_node_notes(const FileBytes& file);

}  // namespace opref::io
