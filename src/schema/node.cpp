// SPDX-License-Identifier: Apache-2.0
#include "schema/node.h"

#include <algorithm>
#include <iterator>

#include "core/error.h"
#include "schema/domains.h"

namespace opref::schema {

std::string to_text(const Node& node) {
  const std::string op_type = printable(node.op_type);
  return node.name.empty() ? format("node {}", op_type) : format("node '{}' ({})", printable(node.name), op_type);
}

std::string to_text(const Function& function) {
  const std::string name = printable(format("{}.{}", domain_name(function.domain), function.name));
  return function.overload.empty() ? name : format("{} (overload '{}')", name, printable(function.overload));
}

const Function* find_function(const OpsetImport& imports, const Node& node) {
  if (imports.functions == nullptr) return nullptr;
  const auto is_called = [&](const Function& function) {
    return function.name == node.op_type && function.overload == node.overload &&
           canonical_domain(function.domain) == canonical_domain(node.domain);
  };
  const auto found = std::ranges::find_if(*imports.functions, is_called);
  return found == imports.functions->end() ? nullptr : &*found;
}

std::string to_text(const ValueInfo& info) {
  if (!info.type_text.empty()) return printable(info.type_text);
  if (info.form != Form::tensor) return to_text(ValueType(info.form, info.dtype.value()));
  std::vector<std::string> dims;
  for (const DeclaredDim& dim : info.dims.value_or(std::vector<DeclaredDim>{}))
    dims.push_back(dim.size ? std::to_string(*dim.size) : dim.symbol.empty() ? "?" : printable(dim.symbol));
  return (info.dtype ? to_text(*info.dtype) : "") + (info.dims ? "[" + join_some(dims, ",") + "]" : "");
}

bool agrees(const ValueInfo& info, const ValueType& type) {
  const bool stated = info.dtype || info.dims || !info.type_text.empty();
  if (!stated) return true;
  if (info.form != type.form || !info.type_text.empty() || (info.dtype && *info.dtype != type.dtype())) return false;
  if (!info.dims || !type.has_shape) return true;
  return std::ranges::equal(*info.dims, type.tensor.shape,
                            [](const DeclaredDim& dim, std::int64_t size) { return !dim.size || *dim.size == size; });
}

const ValueInfo* declaration(const Graph& graph, std::string_view tensor) {
  for (const auto* list : {&graph.inputs, &graph.declared, &graph.outputs})
    if (const auto info = std::ranges::find(*list, tensor, &ValueInfo::name); info != list->end()) return &*info;
  return nullptr;
}

const Graph* subgraph(const Attribute& attribute) {
  const auto* value = std::get_if<AttributeValue>(&attribute.value);
  const auto* graph = value == nullptr ? nullptr : std::get_if<std::shared_ptr<const Graph>>(&value->value);
  return graph == nullptr ? nullptr : graph->get();
}

std::set<std::string, std::less<>> names_read(const Node& node) {
  std::set<std::string, std::less<>> names(node.inputs.begin(), node.inputs.end());
  for (const Attribute& attribute : node.attributes) {
    const Graph* graph = subgraph(attribute);
    if (graph == nullptr) continue;
    std::set<std::string, std::less<>> given;
    for (const ValueInfo& input : graph->inputs) given.insert(input.name);
    for (const Initializer& initializer : graph->initializers) given.insert(initializer.name);
    for (const Node& inner : graph->nodes) {
      std::ranges::set_difference(names_read(inner), given, std::inserter(names, names.end()));
      given.insert(inner.outputs.begin(), inner.outputs.end());
    }
  }
  names.erase("");
  return names;
}

std::string_view canonical_domain(std::string_view domain) { return domain == "ai.onnx" ? "" : domain; }

}  // namespace opref::schema
