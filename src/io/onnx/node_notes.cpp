// SPDX-License-Identifier: Apache-2.0
#include "io/onnx/node_notes.h"

#include "io/onnx/message.h"

namespace opref::io {
namespace {

/// read_onnx refuses graphs that are nested deeper than kDeepestGraph, and reads the file before.
void add_notes(const OnnxMessage& graph, std::map<std::string, NodeNotes, std::less<>>& notes) {
  for (const OnnxMessage& node : graph.messages("node")) {
    NodeNotes own{std::string(node.text("doc_string")), {}};
    for (const OnnxMessage& entry : node.messages("metadata_props"))
      own.metadata.emplace_back(entry.text("key"), entry.text("value"));
    const std::vector<std::string> outputs = node.texts("output");
    if (!outputs.empty() && (!own.doc_string.empty() || !own.metadata.empty()))
      notes.emplace(outputs.front(), std::move(own));
    for (const OnnxMessage& attribute : node.messages("attribute"))
      if (attribute.is_set("g")) add_notes(attribute.message("g"), notes);
  }
}

}  // namespace

std::map<std::string, NodeNotes, std::less<>> read_node_notes(const FileBytes& file) {
  std::map<std::string, NodeNotes, std::less<>> notes;
  if (const auto model = OnnxMessage::parse(kModelProto, file)) add_notes(model->message("graph"), notes);
  return notes;
}

}  // namespace opref::io
