// SPDX-License-Identifier: Apache-2.0
#include "cli/node_list.h"

#include "core/error.h"
#include "io/onnx/node_notes.h"
#include "run/version.h"
#include "schema/domains.h"
#include "system/file.h"
#include "system/machine_error.h"

namespace opref::cli {
namespace {

constexpr size_t kMostOfNote = 100;

using Notes = std::map<std::string, NodeNotes, std::less<>>;

/// Of a model from standard input nothing is said: it is read once.
Notes notes_of(const Case& model) {
  const bool has_notes = model.format == CaseFormat::onnx_model || model.format == CaseFormat::onnx_folder;
  return has_notes && !model.file.empty() ? read_node_notes(read_file(model.file)) : Notes();
}

const NodeNotes* find_notes(const Notes& notes, const Node& node) {
  const auto found = node.outputs.empty() ? notes.end() : notes.find(node.outputs.front());
  return found == notes.end() ? nullptr : &found->second;
}

/// Nothing of a function, and of an operator that is not known.
std::optional<std::int64_t> version_of(const OpsetImport& opsets, const Node& node) {
  if (find_function(opsets, node) != nullptr) return std::nullopt;
  try {
    return version_in_force(opsets, node).schema.since_version();
  } catch (const Error& error) {
    pass_on(error);
    return std::nullopt;
  }
}

std::string operator_text(const OpsetImport& opsets, const Node& node) {
  const std::string_view domain = canonical_domain(node.domain);
  std::string text = printable(domain.empty() ? node.op_type : format("{}.{}", domain, node.op_type));
  if (const auto version = version_of(opsets, node)) return text + format("-{}", *version);
  return text + (find_function(opsets, node) == nullptr ? " (not known)" : " (a function)");
}

std::string names_text(const std::vector<std::string>& names) {
  return join_some(names, ", ", SIZE_MAX, [](const std::string& name) { return printable(name, SIZE_MAX); });
}

std::string line_of(const OpsetImport& opsets, const Notes& notes, const Node& node) {
  std::string line =
      format("{} = {} ({})", names_text(node.outputs), operator_text(opsets, node), names_text(node.inputs));
  std::vector<std::string> remarks;
  if (!node.name.empty()) remarks.push_back(format("'{}'", printable(node.name, SIZE_MAX)));
  if (const NodeNotes* own = find_notes(notes, node)) {
    for (const auto& [key, value] : own->metadata)
      remarks.push_back(format("{}: {}", printable(key), printable(value, kMostOfNote)));
    if (!own->doc_string.empty()) remarks.push_back(printable(own->doc_string, kMostOfNote));
  }
  for (size_t k = 0; k < remarks.size(); ++k) line += (k == 0 ? "  # " : "; ") + remarks[k];
  return line;
}

void add_lines(const OpsetImport& opsets, const Notes& notes, const Graph& graph, const std::string& indent,
               std::string& text) {
  for (const Node& node : graph.nodes) {
    text += indent + line_of(opsets, notes, node) + "\n";
    for (const Attribute& attribute : node.attributes)
      if (const Graph* inner = subgraph(attribute)) {
        text += format("{}  {}:\n", indent, printable(attribute.name));
        add_lines(opsets, notes, *inner, indent + "    ", text);
      }
  }
}

Json nodes_of(const OpsetImport& opsets, const Notes& notes, const Graph& graph) {
  Json list = Json::list();
  for (const Node& node : graph.nodes) {
    Json one, graphs, metadata;
    one.set("name", node.name).set("op_type", node.op_type).set("domain", node.domain);
    if (const auto version = version_of(opsets, node)) one.set("since_version", *version);
    one.set("inputs", node.inputs).set("outputs", node.outputs);
    if (const NodeNotes* own = find_notes(notes, node)) {
      for (const auto& [key, value] : own->metadata) metadata.set(key, value);
      one.set("doc_string", own->doc_string).set("metadata", metadata);
    }
    for (const Attribute& attribute : node.attributes)
      if (const Graph* inner = subgraph(attribute)) graphs.set(attribute.name, nodes_of(opsets, notes, *inner));
    if (graphs.root().size() > 0) one.set("graphs", graphs);
    list.append(one);
  }
  return list;
}

}  // namespace

std::string node_list_text(const Case& model) {
  std::string text;
  add_lines(model.graph.opset_import, notes_of(model), model.graph, "  ", text);
  return text;
}

Json node_list_json(const Case& model) { return nodes_of(model.graph.opset_import, notes_of(model), model.graph); }

}  // namespace opref::cli
