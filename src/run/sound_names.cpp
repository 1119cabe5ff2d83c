// SPDX-License-Identifier: Apache-2.0
#include "run/sound_names.h"

#include <algorithm>
#include <map>
#include <unordered_set>

#include "core/error.h"
#include "run/part_of_graph.h"
#include "run/places.h"
#include "run/remedies.h"
#include "run/version.h"

namespace opref::run {
namespace {

/// The names that a graph and those around it have given so far.
struct GivenNames {
  const GivenNames* around = nullptr;
  std::unordered_set<std::string_view> names = {};

  bool contains(std::string_view name) const {
    return names.contains(name) || (around != nullptr && around->contains(name));
  }
  /// `giver()` is the text of who gives it.
  template <class Giver>
  void give(std::string_view name, const Giver& giver) {
    if (!name.empty() && !names.insert(name).second)
      fail(Fault::malformed, "'{}' is given twice, the second time by {}", printable(name), giver());
  }
};

constexpr auto an_input = [] { return "an input"; };

/// `giver` gives what a node before it reads.
[[noreturn]] void fail_read_before(const std::string& name, const Graph& graph, const Node& giver) {
  const auto read = names_read(giver);
  const Graph before = needed_for(graph, std::vector<std::string>(read.begin(), read.end()));
  if (std::ranges::any_of(before.nodes, [&](const Node& node) { return std::ranges::count(node.outputs, name) > 0; }))
    fail(Fault::malformed, "'{}' depends on itself: {} gives it, and reads what follows from it", printable(name),
         to_text(giver));
  fail(Fault::malformed, kFixNames, "'{}' is read before {} gives it: nodes stand in the order of evaluation",
       printable(name), to_text(giver));
}

[[noreturn]] void fail_for_output(std::string_view name) {
  fail(Fault::malformed, "no node gives the graph's output '{}'", printable(name));
}

/// Names are given once, before they are read, and hide none of those around the subgraph.
void require_sound_names_inside(const Graph& graph, const GivenNames& around) {
  if (graph.outputs.empty()) fail(Fault::malformed, "the graph has no output");
  GivenNames given{&around};
  std::unordered_set<std::string_view> read;
  const auto give = [&](std::string_view name, const auto& giver) {
    if (around.contains(name))
      fail(Fault::malformed, kFixNames, "'{}' is given by {}, but is a name around the subgraph already",
           printable(name), giver());
    given.give(name, giver);
  };
  for (const ValueInfo& input : graph.inputs) give(input.name, an_input);
  for (const Initializer& initializer : graph.initializers) give(initializer.name, [] { return "an initializer"; });
  for (const Node& node : graph.nodes) {
    at_place([&] { return place_of(node); },
             [&] {
               for (const std::string& name : node.inputs)
                 if (!name.empty() && !given.contains(name))
                   fail(Fault::malformed, "'{}' is given neither before this node nor around its graph",
                        printable(name));
               read.insert(node.inputs.begin(), node.inputs.end());
               each_subgraph(node, [&](const Graph& inner) { require_sound_names_inside(inner, given); });
             });
    for (const std::string& output : node.outputs) {
      if (read.contains(output) && !given.names.contains(output)) fail_read_before(output, graph, node);
      give(output, [&] { return to_text(node); });
    }
  }
  for (const ValueInfo& output : graph.outputs)
    if (!given.names.contains(output.name)) fail_for_output(output.name);
}

void require_sound_subgraphs(const Node& node, const GivenNames& given) {
  at_place([&] { return place_of(node); },
           [&] { each_subgraph(node, [&](const Graph& inner) { require_sound_names_inside(inner, given); }); });
}

/// Functions see nothing around them.
void require_sound_functions(const OpsetImport& imports) {
  if (imports.functions == nullptr) return;
  for (const Function& function : *imports.functions)
    at_place([&] { return format("in the function {}", to_text(function)); },
             [&] { require_sound_names_inside(function.body, {}); });
}

}  // namespace

void take_declared_form(const ValueInfo& declared, const Value& value, ValueType& type) {
  const auto* optional = std::get_if<Optional>(&value);
  const bool is_empty = optional != nullptr && std::holds_alternative<std::monostate>(optional->element);
  if (is_empty && declared.form == Form::optional_sequence) type.form = declared.form;
}

void require_declared_type(const ValueInfo& declared, const ValueType& type) {
  ValueInfo without_shape = declared;
  without_shape.dims.reset();
  require(agrees(without_shape, type), "the output '{}' is declared as {}, but is {}", printable(declared.name),
          to_text(declared), type);
}

void require_declared_outputs(const Graph& graph, const Environment& environment) {
  for (const ValueInfo& output : graph.outputs)
    if (const auto known = environment.find(output.name); known != environment.end())
      require_declared_type(output, known->second.type);
}

void require_an_output(const Graph& graph) {
  if (!graph.outputs.empty()) return;
  for (const Node& node : graph.nodes) version_in_force(graph.opset_import, node);
  fail(Fault::malformed, "the graph has no output");
}

void require_sound_names(const Graph& graph, const std::set<std::string_view>& bound) {
  require_an_output(graph);
  require_sound_functions(graph.opset_import);
  GivenNames given;
  for (const ValueInfo& input : graph.inputs) given.give(input.name, an_input);
  given.names.insert(bound.begin(), bound.end());
  std::map<std::string_view, const Node*> read;  // and not given before: by whom first
  for (const Node& node : graph.nodes) {
    require_sound_subgraphs(node, given);
    for (const std::string& input : node.inputs)
      if (!input.empty() && !given.contains(input)) read.emplace(input, &node);
    for (const std::string& output : node.outputs) {
      if (!output.empty() && read.contains(output)) fail_read_before(output, graph, node);
      given.give(output, [&] { return to_text(node); });
    }
  }
  for (const ValueInfo& output : graph.outputs)
    if (!given.contains(output.name)) fail_for_output(output.name);
  for (const Node& node : graph.nodes)
    for (const std::string& input : node.inputs)
      if (const auto undefined = read.find(input); undefined != read.end() && undefined->second == &node)
        at_place([&] { return place_of(node); },
                 [&] {
                   fail(Fault::malformed,
                        "'{}' is neither an input of the graph nor an initializer, and no node gives it",
                        printable(input));
                 });
}

void require_sound_names(const Graph& graph, const Node& node, const std::set<std::string_view>& bound) {
  require_sound_functions(graph.opset_import);
  GivenNames given{nullptr, {bound.begin(), bound.end()}};
  for (const ValueInfo& input : graph.inputs) given.names.insert(input.name);
  for (const Node& other : graph.nodes) {
    if (&other == &node) break;
    given.names.insert(other.outputs.begin(), other.outputs.end());
  }
  require_sound_subgraphs(node, given);
}

const Input& output_of(const Environment& environment, std::string_view name) {
  const auto known = environment.find(name);
  if (known == environment.end()) fail_for_output(name);
  return known->second;
}

}  // namespace opref::run
