#include "spec/node.h"

#include <algorithm>

#include "core/error.h"

namespace opref {

std::string to_text(const Node& node) {
  const std::string op_type = printable(node.op_type);
  return node.name.empty() ? format("node {}", op_type) : format("node '{}' ({})", printable(node.name), op_type);
}

std::string to_text(const ValueInfo& info) {
  std::vector<std::string> dims;
  for (const DeclaredDim& dim : info.dims.value_or(std::vector<DeclaredDim>{}))
    dims.push_back(dim.size ? std::to_string(*dim.size) : dim.symbol.empty() ? "?" : printable(dim.symbol));
  return (info.dtype ? to_text(*info.dtype) : "") + (info.dims ? "[" + join_text(dims, ",") + "]" : "");
}

bool agrees(const ValueInfo& info, const TensorType& type) {
  if (info.dtype && *info.dtype != type.dtype) return false;
  if (!info.dims) return true;
  return std::ranges::equal(*info.dims, type.shape,
                            [](const DeclaredDim& dim, std::int64_t size) { return !dim.size || *dim.size == size; });
}

const ValueInfo* declaration(const Graph& graph, std::string_view tensor) {
  for (const auto* list : {&graph.inputs, &graph.declared, &graph.outputs})
    if (const auto info = std::ranges::find(*list, tensor, &ValueInfo::name); info != list->end()) return &*info;
  return nullptr;
}

std::string_view canonical_domain(std::string_view domain) { return domain == "ai.onnx" ? "" : domain; }

}  // namespace opref
