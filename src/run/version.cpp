// SPDX-License-Identifier: Apache-2.0
#include "run/version.h"

#include <algorithm>

#include "core/error.h"
#include "run/places.h"
#include "run/remedies.h"

namespace opref::run {
namespace {

constexpr std::int64_t kNewestOpenvinoOpset = 16;

bool is_known(std::string_view domain) { return domain.empty() || domain == "openvino"; }

void override_opsets(const Graph& graph, std::int64_t opset, OpsetImport& opsets) {
  for (const Node& node : graph.nodes) {
    const std::string_view domain = canonical_domain(node.domain);
    if (is_known(domain)) opsets.insert_or_assign(std::string(domain), opset);
    each_subgraph(node, [&](const Graph& inner) { override_opsets(inner, opset, opsets); });
  }
}

void require_known_operators(const Node& node, const OpsetImport& opsets) {
  at_place([&] { return place_of(node); },
           [&] {
             version_in_force(opsets, node);
             each_subgraph(node, [&](const Graph& graph) {
               for (const Node& inner : graph.nodes) require_known_operators(inner, opsets);
             });
           });
}

/// Rather than of the opset.
bool is_of_operator(const Error& error) { return error.fault() == Fault::unsupported && error.remedy() != kOtherOpset; }

/// "'/up/ConvTranspose'": as what the nodes whose operators are known can be picked.
std::vector<std::string> known_nodes(const Graph& graph) {
  std::vector<std::string> names;
  for (const Node& node : graph.nodes) {
    const auto output = std::ranges::find_if_not(node.outputs, &std::string::empty);
    if (output == node.outputs.end() || find_operator(canonical_domain(node.domain), node.op_type) == nullptr) continue;
    try {
      require_known_operators(node, graph.opset_import);
      names.push_back(format("'{}'", printable(node.name.empty() ? *output : node.name)));
    } catch (const Error&) {  // not this one
    }
  }
  return names;
}

}  // namespace

std::int64_t opset_in_force(const OpsetImport& opsets, const Node& node) {
  const std::string_view domain = canonical_domain(node.domain);
  const std::int64_t newest = domain == "openvino" ? kNewestOpenvinoOpset : kNewestOpset;
  const auto stated = opsets.find(domain);
  require(stated != opsets.end() || opsets.empty() || !is_known(domain), "the model imports no opset of {}",
          domain.empty() ? "ai.onnx" : domain);
  if (stated == opsets.end()) return domain == "openvino" ? 1 : kNewestOpset;
  if (is_known(domain) && stated->second > newest)
    fail(Fault::unsupported, {kOtherOpset, std::to_string(newest)}, "opset {} is newer than this opref knows ({})",
         stated->second, newest);
  return stated->second;
}

Version version_in_force(const OpsetImport& opsets, const Node& node) {
  const Operator& op = get_operator(canonical_domain(node.domain), node.op_type);
  return op.at(opset_in_force(opsets, node));
}

std::optional<Version> find_version(const OpsetImport& opsets, const Node& node) {
  try {
    return version_in_force(opsets, node);
  } catch (const Error&) {  // said where the node is evaluated
    return std::nullopt;
  }
}

const OpSchema* schema_or_first(const Node& node, std::int64_t opset) {
  const Operator* op = find_operator(canonical_domain(node.domain), node.op_type);
  return op == nullptr ? nullptr : &op->schema_for(std::max(opset, op->versions().front().since_version()));
}

void override_opset(Graph& graph, std::int64_t opset) { override_opsets(graph, opset, graph.opset_import); }

std::optional<std::string> why_unknown(const Graph& graph, const Node& node) {
  try {
    require_known_operators(node, graph.opset_import);
    return std::nullopt;
  } catch (const Error& error) {
    if (!is_of_operator(error)) throw;
    return error.message();
  }
}

void require_known_operators(const Graph& graph) {
  for (const Node& node : graph.nodes) require_known_operators(node, graph.opset_import);
}

void require_known_or_pick(const Graph& graph) {
  try {
    require_known_operators(graph);
  } catch (const Error& error) {
    const std::vector<std::string> known = known_nodes(graph);
    if (!is_of_operator(error) || known.empty()) throw;
    Error better(error.fault(), error.message(), {kPickNode, join_some(known, ", ", 8)});
    for (const std::string& place : error.places()) better.add_place(place);
    throw better;
  }
}

}  // namespace opref::run
