// SPDX-License-Identifier: Apache-2.0
#include "run/graph_names.h"

#include <unordered_map>

#include "schema/names_read.h"

namespace opref::run {

GraphNames::GraphNames(const Graph& graph) : graph_(graph) {
  for (const auto* list : {&graph.inputs, &graph.declared, &graph.outputs})
    for (const ValueInfo& info : *list) declared_.emplace(info.name, &info);
  for (const ValueInfo& info : graph.outputs) outputs_.insert(info.name);
}

const ValueInfo* GraphNames::declaration(std::string_view tensor) const {
  const auto found = declared_.find(tensor);
  return found == declared_.end() ? nullptr : found->second;
}

bool GraphNames::is_read(std::string_view tensor) const {
  if (!read_) {
    read_.emplace();
    for (const Node& node : graph_.nodes) each_name_read(node, [&](const std::string& name) { read_->insert(name); });
  }
  return read_->contains(tensor);
}

bool GraphNames::is_output(std::string_view tensor) const { return outputs_.contains(tensor); }

LastReaders::LastReaders(const Graph& graph, std::span<const ValueInfo> results) : done_(graph.nodes.size()) {
  std::unordered_map<std::string_view, size_t> last;  // of what nodes give: the place of its last reader, or giver
  for (size_t k = 0; k < graph.nodes.size(); ++k) {
    each_name_read(graph.nodes[k], [&](const std::string& name) {
      if (const auto given = last.find(name); given != last.end()) given->second = k;
    });
    for (const std::string& name : graph.nodes[k].outputs)
      if (!name.empty()) last.emplace(name, k);
  }
  for (const ValueInfo& result : results) last.erase(result.name);
  for (const auto& [name, k] : last) done_[k].emplace_back(name);
}

Symbols bound_symbols(const Graph& graph, const Environment& environment) {
  Symbols symbols;
  std::set<std::string_view> ambiguous;
  for (const ValueInfo& info : graph.inputs) {
    const auto known = environment.find(info.name);
    if (known == environment.end() || !known->second.type.has_shape || !info.dims) continue;
    const Dims& shape = known->second.type.tensor.shape;
    if (shape.size() != info.dims->size()) continue;
    for (size_t i = 0; i < shape.size(); ++i) {
      const std::string& symbol = (*info.dims)[i].symbol;
      if (symbol.empty()) continue;
      if (symbols.emplace(symbol, shape[i]).first->second != shape[i]) ambiguous.insert(symbol);
    }
  }
  for (const std::string_view symbol : ambiguous) symbols.erase(std::string(symbol));
  return symbols;
}

std::optional<Dims> declared_shape(const ValueInfo& info, const Symbols& symbols) {
  if (info.form != Form::tensor || !info.dims) return std::nullopt;
  Dims shape;
  for (const DeclaredDim& dim : *info.dims) {
    const auto bound = symbols.find(dim.symbol);
    if (!dim.size && bound == symbols.end()) return std::nullopt;
    shape.push_back(dim.size ? *dim.size : bound->second);
  }
  return shape;
}

void declare(ValueInfo& info, const ValueType& type) {
  info.dtype = type.dtype();
  info.form = type.form;
  info.key = type.key;
  if (info.dims || !type.has_shape) return;
  info.dims.emplace();
  for (const std::int64_t size : type.tensor.shape) info.dims->push_back({size, "", ""});
}

}  // namespace opref::run
