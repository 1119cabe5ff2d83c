// SPDX-License-Identifier: Apache-2.0
// A model's file with other types of its tensors, and all else as it is.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "schema/node.h"
#include "system/file.h"

namespace opref::io {

/// What a model's file is to say.
struct ModelTypes {
  /// Of the graph's inputs, outputs and what its nodes give. A tensor without a `dtype`, and one that is not here,
  /// keeps what the file says of it, but for symbols. A list, optional or map keeps the type that the file has. An
  /// output of unknown rank has the rank that the file declares: without one it would be malformed.
  std::map<std::string, ValueInfo, std::less<>> tensors;
  /// metadata_props: these keys, and no others that begin as they all do.
  std::map<std::string, std::string> properties;
};

/// How the keys of ModelTypes::properties begin.
inline constexpr std::string_view kOwnProperties = "opref.";

/// Whether a file is a ModelProto in binary, of which other types can be written.
bool is_onnx_model(const FileBytes& file);

/// Writes a ModelProto with the bytes of `model` but for graph.input, graph.output and graph.value_info, whose entries
/// stay where they are and keep their other fields and the denotations of types and sizes, and for metadata_props. What
/// is new stands behind the last field that has no greater number. Subgraphs and functions stay as they are. Faults:
/// `malformed` (no model), `unsupported` (more bytes than protobuf writes).
void write_redeclared(FileWriter& file, const FileBytes& model, const ModelTypes& types);

}  // namespace opref::io
