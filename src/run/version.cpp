// SPDX-License-Identifier: Apache-2.0
#include "run/version.h"

#include <algorithm>
#include <set>
#include <span>
#include <vector>

#include "core/error.h"
#include "ops/onnxruntime_names.h"
#include "run/places.h"
#include "run/remedies.h"
#include "schema/domains.h"

namespace opref::run {
namespace {

/// No function of the model is of the node's domain, which is one of operators.
bool is_of_other_domain(const OpsetImport& imports, const Node& node) {
  const std::string_view domain = canonical_domain(node.domain);
  return find_domain(domain) != nullptr && std::ranges::none_of(*imports.functions, [&](const Function& function) {
           return canonical_domain(function.domain) == domain;
         });
}

/// Of a model that has functions an operator that is not known may be one of them, mistyped.
void require_function(const OpsetImport& imports, const Node& node) {
  if (imports.functions == nullptr || imports.functions->empty() || is_of_other_domain(imports, node)) return;
  std::vector<std::string> known;
  for (const Function& function : *imports.functions) known.push_back(to_text(function));
  const std::string_view domain = canonical_domain(node.domain);
  fail(Fault::unsupported,
       "'{}' of domain '{}'{} is neither a known operator nor a function of the model, which has {}",
       printable(node.op_type), printable(domain_name(domain)),
       node.overload.empty() ? "" : format(", overload '{}',", printable(node.overload)), join_some(known, ", ", 8));
}

void add_domains(const Graph& graph, std::set<std::string_view>& domains) {
  for (const Node& node : graph.nodes) {
    const std::string_view domain = canonical_domain(node.domain);
    if (find_domain(domain) != nullptr) domains.insert(domain);
    each_subgraph(node, [&](const Graph& inner) { add_domains(inner, domains); });
  }
}

/// Looks at nodes, what is in them, and each function that they call once.
class KnownOperators {
 public:
  void require(const Node& node, const OpsetImport& imports) {
    at_place([&] { return place_of(node); },
             [&] {
               if (const Function* function = find_function(imports, node))
                 require(*function, imports);
               else
                 version_in_force(imports, node);
               each_subgraph(node, [&](const Graph& graph) { require(graph, imports); });
             });
  }

  void require(const Graph& graph, const OpsetImport& imports) {
    for (const Node& node : graph.nodes) require(node, imports);
  }

 private:
  void require(const Function& function, const OpsetImport& around) {
    if (found_good_.contains(&function)) return;
    core::require(std::ranges::find(open_, &function) == open_.end(), "the function {} calls itself",
                  to_text(function));
    core::require(open_.size() < kDeepestGraph, "functions call each other more than {} deep", kDeepestGraph);
    open_.push_back(&function);
    const OpsetImport own = imports_of(function, around);
    at_place([&] { return format("in the function {}", to_text(function)); }, [&] { require(function.body, own); });
    open_.pop_back();
    found_good_.insert(&function);
  }

  std::vector<const Function*> open_;
  std::set<const Function*> found_good_;
};

/// Rather than of the opset.
bool is_of_operator(const Error& error) { return error.fault() == Fault::unsupported && error.remedy() != kOtherOpset; }

/// "'/up/ConvTranspose'": as what the nodes whose operators are known can be picked.
std::vector<std::string> known_nodes(const Graph& graph) {
  std::vector<std::string> names;
  for (const Node& node : graph.nodes) {
    const auto output = std::ranges::find_if_not(node.outputs, &std::string::empty);
    if (output == node.outputs.end()) continue;
    try {
      KnownOperators().require(node, graph.opset_import);
      names.push_back(format("'{}'", printable(node.name.empty() ? *output : node.name)));
    } catch (const Error&) {  // not this one
    }
  }
  return names;
}

/// The one of the operators that the node names; null where it is another one.
const Operator* chosen(std::span<const Operator* const> operators, const Node& node) {
  const auto found = std::ranges::find_if(operators, [&](const Operator* op) {
    return op->op_type() == node.op_type && canonical_domain(op->domain()) == canonical_domain(node.domain);
  });
  return found == operators.end() ? nullptr : *found;
}

void find_operators(const Graph& graph, std::vector<const Operator*>& found) {
  for (const Node& node : graph.nodes) {
    if (chosen(found, node) == nullptr)
      if (const Operator* op = find_operator(canonical_domain(node.domain), node.op_type)) found.push_back(op);
    each_subgraph(node, [&](const Graph& inner) { find_operators(inner, found); });
  }
}

/// An opset that the domain, which may not be known, has.
std::int64_t within(const Domain* known, std::int64_t opset) {
  if (known != nullptr && opset > known->newest_opset)
    fail(Fault::unsupported, {kOtherOpset, std::to_string(known->newest_opset)},
         "opset {} is newer than this opref knows ({})", opset, known->newest_opset);
  return opset;
}

}  // namespace

const Operator* operator_of(const OpsetImport& opsets, const Node& node) {
  if (const Operator* own = named_by_onnxruntime(opsets, node)) return own;
  const Operator* known = chosen(opsets.operators, node);
  return known != nullptr ? known : find_operator(canonical_domain(node.domain), node.op_type);
}

void find_operators(Graph& graph) {
  std::vector<const Operator*> found = graph.opset_import.operators;
  find_operators(graph, found);
  if (graph.opset_import.functions != nullptr)
    for (const Function& function : *graph.opset_import.functions) find_operators(function.body, found);
  graph.opset_import.operators = std::move(found);
}

OpsetImport imports_of(const Function& function, const OpsetImport& around) {
  OpsetImport imports = function.body.opset_import.empty() ? around : function.body.opset_import;
  imports.functions = around.functions;
  imports.operators = around.operators;
  return imports;
}

std::int64_t opset_in_force(const OpsetImport& opsets, const Node& node) {
  const std::string_view domain = canonical_domain(node.domain);
  const Domain* known = find_domain(domain);
  if (node.opset) return within(known, *node.opset);
  const auto stated = opsets.find(domain);
  require(stated != opsets.end() || opsets.empty() || known == nullptr, "the model imports no opset of {}",
          domain_name(domain));
  if (stated == opsets.end()) return known == nullptr ? kNewestOpset : known->opset_of_none;
  return within(known, stated->second);
}

Version version_in_force(const OpsetImport& opsets, const Node& node) {
  const std::string_view domain = canonical_domain(node.domain);
  const std::int64_t opset = opset_in_force(opsets, node);
  if (const Operator* own = named_by_onnxruntime(opsets, node))
    return own->at(std::max(opset, own->versions().front().since_version()));
  const Operator* op = operator_of(opsets, node);
  if (op == nullptr) require_function(opsets, node);
  return (op == nullptr ? get_operator(domain, node.op_type) : *op).at(opset);
}

std::optional<Version> find_version(const OpsetImport& opsets, const Node& node) {
  if (find_function(opsets, node) != nullptr) return std::nullopt;
  try {
    return version_in_force(opsets, node);
  } catch (const Error&) {  // said where the node is evaluated
    return std::nullopt;
  }
}

const OpSchema* schema_or_first(const OpsetImport& opsets, const Node& node, std::int64_t opset) {
  const Operator* op = operator_of(opsets, node);
  return op == nullptr ? nullptr : &op->schema_for(std::max(opset, op->versions().front().since_version()));
}

void override_opset(Graph& graph, std::int64_t opset) {
  std::set<std::string_view> domains;
  add_domains(graph, domains);
  if (domains.contains("")) domains = {""};
  for (const std::string_view domain : domains) graph.opset_import.insert_or_assign(std::string(domain), opset);
  for (Node& node : graph.nodes)
    if (domains.contains(canonical_domain(node.domain))) node.opset.reset();
}

std::optional<std::string> why_unknown(const Graph& graph, const Node& node) {
  try {
    KnownOperators().require(node, graph.opset_import);
    return std::nullopt;
  } catch (const Error& error) {
    if (!is_of_operator(error)) throw;
    return error.message();
  }
}

void require_known_operators(const Graph& graph) { KnownOperators().require(graph, graph.opset_import); }

void require_known_operators(const Graph& graph, const Node& node) {
  KnownOperators().require(node, graph.opset_import);
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
