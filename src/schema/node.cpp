// SPDX-License-Identifier: Apache-2.0
#include "schema/node.h"

#include <algorithm>
#include <string_view>
#include <unordered_set>

#include "core/error.h"
#include "schema/domains.h"
#include "schema/names_read.h"

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
  if (info.form != Form::tensor) return to_text(ValueType(info.form, info.dtype.value(), info.key));
  std::vector<std::string> dims;
  for (const DeclaredDim& dim : info.dims.value_or(std::vector<DeclaredDim>{}))
    dims.push_back(dim.size ? std::to_string(*dim.size) : dim.symbol.empty() ? "?" : printable(dim.symbol));
  return (info.dtype ? to_text(*info.dtype) : "") + (info.dims ? "[" + join_some(dims, ",") + "]" : "");
}

bool agrees(const ValueInfo& info, const ValueType& type) {
  const bool stated = info.dtype || info.dims || !info.type_text.empty();
  if (!stated) return true;
  if (info.form != type.form || !info.type_text.empty() || (info.dtype && *info.dtype != type.dtype())) return false;
  if (is_of_maps(info.form) && info.key != type.key) return false;
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

namespace {

using Visit = std::function<void(const std::string& name)>;

/// `given` are the names that each graph around the node, up to the outermost one that counts, has given before it.
void each_name_read(const Node& node, std::vector<std::unordered_set<std::string_view>>& given, const Visit& visit) {
  const auto is_given = [&](const std::string& name) {
    return std::ranges::any_of(given, [&](const auto& names) { return names.contains(name); });
  };
  for (const std::string& name : node.inputs)
    if (!name.empty() && !is_given(name)) visit(name);
  for (const Attribute& attribute : node.attributes) {
    const Graph* graph = subgraph(attribute);
    if (graph == nullptr) continue;
    given.emplace_back();
    for (const ValueInfo& input : graph->inputs) given.back().insert(input.name);
    for (const Initializer& initializer : graph->initializers) given.back().insert(initializer.name);
    for (const Node& inner : graph->nodes) {
      each_name_read(inner, given, visit);
      given.back().insert(inner.outputs.begin(), inner.outputs.end());
    }
    given.pop_back();
  }
}

}  // namespace

void each_name_read(const Node& node, const Visit& visit) {
  std::vector<std::unordered_set<std::string_view>> given;
  each_name_read(node, given, visit);
}

std::set<std::string, std::less<>> names_read(const Node& node) {
  std::set<std::string, std::less<>> names;
  each_name_read(node, [&](const std::string& name) { names.insert(name); });
  return names;
}

std::string_view canonical_domain(std::string_view domain) { return domain == "ai.onnx" ? "" : domain; }

}  // namespace opref::schema
