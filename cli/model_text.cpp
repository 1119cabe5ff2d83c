// SPDX-License-Identifier: Apache-2.0
#include "cli/model_text.h"

#include <map>

#include "cli/output.h"
#include "core/error.h"
#include "io/tensor_source.h"
#include "run/remedies.h"
#include "run/version.h"
#include "schema/domains.h"
#include "symbols/free_sizes.h"
#include "system/machine_error.h"

namespace opref::cli {
namespace {

struct OperatorUse {
  std::int64_t count = 0;
  std::int64_t version = 0;  ///< since_version, where the operator is known
  std::string why = {};      ///< it is not known
  bool is_function = false;  ///< of the model
  bool is_unknown = false;   ///< no version of it is known
};

std::string title_of(const Node& node) {
  const std::string_view domain = canonical_domain(node.domain);
  const std::string name = domain.empty() ? node.op_type : format("{}.{}", domain, node.op_type);
  return node.overload.empty() ? name : format("{}:{}", name, node.overload);
}

/// By domain and operator; what subgraphs use is counted too.
void count_operators(const Graph& graph, const OpsetImport& opsets, std::map<std::string, OperatorUse>& uses) {
  for (const Node& node : graph.nodes) {
    OperatorUse& use = uses[title_of(node)];
    ++use.count;
    use.is_function = find_function(opsets, node) != nullptr;
    try {
      if (!use.is_function) use.version = version_in_force(opsets, node).schema.since_version();
    } catch (const Error& error) {
      use.why = error.message();
      use.is_unknown = error.fault() == Fault::unsupported && error.remedy() != kOtherOpset;
    }
    for (const Attribute& attribute : node.attributes)
      if (const Graph* inner = subgraph(attribute)) count_operators(*inner, opsets, uses);
  }
}

std::map<std::string, OperatorUse> operators_of(const Graph& graph) {
  std::map<std::string, OperatorUse> uses;
  count_operators(graph, graph.opset_import, uses);
  return uses;
}

std::int64_t node_count(const std::map<std::string, OperatorUse>& uses) {
  std::int64_t count = 0;
  for (const auto& [title, use] : uses) count += use.count;
  return count;
}

std::string initializer_type(const NamedSource& input, std::int64_t max_bytes) {
  try {
    return to_text(type_of(load(input.source, max_bytes).value));
  } catch (const Error& error) {
    pass_on(error);
    return "cannot be read: " + error.message();
  }
}

std::string infos_text(std::string_view title, const std::vector<ValueInfo>& infos) {
  std::string text = format("  {}\n", title);
  for (const ValueInfo& info : infos) text += two_columns("    " + printable(info.name), to_text(info), 22);
  return text;
}

/// Of each size that is free its symbol, and where it stands.
std::string free_sizes_text(const Graph& graph) {
  const std::vector<symbols::FreeSize> sizes = symbols::free_sizes(graph);
  std::string text = sizes.empty() ? "" : "  free sizes\n";
  for (const symbols::FreeSize& size : sizes) {
    std::string where = join_some(size.places, ", ", 8, [](const symbols::FreeSize::Place& place) {
      return format("axis {} of {}", place.axis, printable(place.input));
    });
    if (!size.declared.empty() && size.declared != size.symbol)
      where += format("  (declared as '{}')", printable(size.declared));
    text += two_columns("    " + size.symbol, where, 22);
  }
  return text;
}

Json free_sizes_json(const Graph& graph) {
  Json list = Json::list();
  for (const symbols::FreeSize& size : symbols::free_sizes(graph))
    for (const symbols::FreeSize::Place& place : size.places) {
      Json one;
      one.set("name", size.symbol).set("input", place.input).set("axis", static_cast<std::int64_t>(place.axis));
      if (!size.declared.empty() && size.declared != size.symbol) one.set("declared", size.declared);
      list.append(one);
    }
  return list;
}

Json infos_json(const std::vector<ValueInfo>& infos) {
  Json json;
  for (const ValueInfo& info : infos) json.set(info.name, to_text(info));
  return json;
}

}  // namespace

std::string model_text(const io::Case& model, std::int64_t max_bytes) {
  const Graph& graph = model.graph;
  std::string text = "model";
  if (!graph.name.empty()) text += format(" '{}'", printable(graph.name));
  for (const auto& [domain, opset] : graph.opset_import)
    text += format(", opset {} of {}", opset, printable(domain_name(domain)));
  text += "\n" + infos_text("inputs", graph.inputs) + infos_text("outputs", graph.outputs) + free_sizes_text(graph);
  const auto uses = operators_of(graph);
  text += format("  {}\n", counted(node_count(uses), "node"));
  for (const auto& [title, use] : uses) {
    const std::string name = printable(title) + (use.version > 0 ? format("-{}", use.version) : "");
    const std::string why = use.is_unknown || use.why.empty() ? "" : ": " + use.why;
    const std::string more = use.is_function ? "  a function" : use.why.empty() ? "" : "  not known" + why;
    text += two_columns("    " + name, format("{}{}", use.count, more), 30);
  }
  if (const auto* functions = graph.opset_import.functions.get()) {
    text += format("  {}\n", counted(std::ssize(*functions), "function"));
    for (const Function& function : *functions)
      text += two_columns("    " + to_text(function), counted(std::ssize(function.body.nodes), "node"), 30);
  }
  text += format("  {}\n", counted(std::ssize(model.inputs), "initializer"));
  for (const NamedSource& input : model.inputs)
    text += two_columns("    " + printable(input.name), initializer_type(input, max_bytes), 22);
  return text;
}

io::Json model_json(const io::Case& model, std::int64_t max_bytes) {
  Json json, opsets, operators = Json::list(), functions = Json::list(), initializers;
  for (const auto& [domain, opset] : model.graph.opset_import) opsets.set(domain_name(domain), opset);
  for (const auto& [title, use] : operators_of(model.graph)) {
    Json one;
    one.set("operator", title).set("count", use.count).set("known", use.why.empty());
    if (use.version > 0) one.set("since_version", use.version);
    if (!use.why.empty()) one.set("why", use.why);
    operators.append(one);
  }
  if (model.graph.opset_import.functions != nullptr)
    for (const Function& function : *model.graph.opset_import.functions) functions.append(to_text(function));
  for (const NamedSource& input : model.inputs) initializers.set(input.name, initializer_type(input, max_bytes));
  json.set("graph", model.graph.name).set("opsets", opsets);
  json.set("inputs", infos_json(model.graph.inputs)).set("outputs", infos_json(model.graph.outputs));
  if (!symbols::free_sizes(model.graph).empty()) json.set("symbols", free_sizes_json(model.graph));
  json.set("operators", operators).set("functions", functions);
  return std::move(json.set("initializers", initializers));
}

}  // namespace opref::cli
