// SPDX-License-Identifier: Apache-2.0
// Every operator, of whose inputs only the types are known: types, or an error that says which values are missing, but
// never a value out of nothing.
#include <catch2/catch.hpp>
#include <filesystem>

#include "check/discover.h"
#include "core/error.h"
#include "ops/operators.h"
#include "run/bind.h"
#include "run/load_case.h"
#include "run/load_inputs.h"
#include "run/version.h"

namespace opref::ops {

using namespace check;
using namespace run;

namespace {

/// What becomes of a graph of one node.
struct Outcome {
  bool types = false, values = false;  ///< are found out
  std::optional<Fault> fault = {};     ///< of the evaluation
  std::string message = {};            ///< its
};

Outcome evaluated(const Graph& graph, const Environment& known) {
  Outcome outcome;
  const auto is_fine = [&](auto evaluate) {
    try {
      Environment environment = known;
      evaluate(graph, environment, EvaluationOptions{});
      return true;
    } catch (const Error& error) {
      INFO(error.text());
      CHECK(error.fault() != Fault::internal);
      outcome.fault = error.fault();
      outcome.message = error.message();
      return false;
    }
  };
  outcome.types = is_fine(infer);
  outcome.values = is_fine(run_graph);
  return outcome;
}

/// Names that the node or its subgraphs read.
bool reads_something(const Node& node) { return !names_read(node).empty(); }

/// "Add-14 needs the values of B", or of a name "'x' has no value".
bool says_what_is_missing(const std::string& message, const Node& node, const OpSchema& schema) {
  return std::ranges::any_of(schema.inputs(),
                             [&](const FormalParameter& formal) {
                               return message == format("{}-{} needs the values of {}", node.op_type,
                                                        schema.since_version(), formal.name);
                             }) ||
         std::ranges::any_of(names_read(node),
                             [&](const std::string& name) { return message == format("'{}' has no value", name); });
}

/// In training it is random, and otherwise no mask is filled, whatever the values are.
bool is_old_dropout(const Node& node, const OpSchema& schema) {
  return node.op_type == "Dropout" && schema.since_version() < 7;
}

/// Given types alone; whether they were enough to ask the kernel.
bool asks_for_values(const Graph& graph, const Environment& types) {
  const Node& node = graph.nodes.front();
  const std::optional<Version> version = find_version(graph.opset_import, node);
  const Outcome outcome = evaluated(graph, types);
  if (!reads_something(node) || !version->op.has_kernel() || !outcome.types) return false;
  const bool takes_types_alone = version->op.takes_types_alone();
  CHECK(outcome.values == takes_types_alone);
  if (takes_types_alone || is_old_dropout(node, version->schema)) return true;
  INFO(outcome.message);
  CHECK((outcome.fault == Fault::usage && says_what_is_missing(outcome.message, node, version->schema)));
  return true;
}

/// Some value of the type.
std::optional<AttributeValue> some_value(const AttributeSchema& attribute, size_t outputs) {
  switch (attribute.type) {
    case AttributeType::INT:
      return AttributeValue::of(std::int64_t{1});
    case AttributeType::FLOAT:
      return AttributeValue::of(1.0F);
    case AttributeType::INTS:
      return AttributeValue::of(std::vector<std::int64_t>{1, 1});
    case AttributeType::FLOATS:
      return AttributeValue::of(std::vector<float>{1, 1});
    case AttributeType::STRING:
      return AttributeValue::of(std::string(attribute.range.words.empty() ? "a" : attribute.range.words.front()));
    case AttributeType::TENSOR:
      return AttributeValue{AttributeType::TENSOR, Tensor::of<float>(DType::float32, Dims{}, std::vector<float>{1})};
    case AttributeType::GRAPH: {
      Graph graph;
      for (size_t i = 0; i < outputs; ++i) {
        graph.nodes.push_back(
            {"Constant", "", "", {{"value_float", AttributeValue::of(1.0F)}}, {}, {format("y{}", i)}});
        graph.outputs.push_back({format("y{}", i), "", {}, {}});
      }
      return AttributeValue{AttributeType::GRAPH, std::make_shared<const Graph>(std::move(graph))};
    }
    default:
      return std::nullopt;
  }
}

/// The types of the parameter: one of each element type, in each form.
std::vector<ValueType> types_of(const OpSchema& schema, const FormalParameter& formal, const Dims& shape) {
  std::vector<ValueType> types;
  for (const Form form : kForms)
    for (const DType dtype : schema.types_of(formal).dtypes(form))
      types.push_back(form == Form::tensor ? ValueType(dtype, shape) : ValueType(form, dtype));
  return types;
}

/// A node of the version, with each kind of input twice where it may be; all have the k-th of their types.
std::pair<Graph, Environment> node_of(const Operator& op, const OpSchema& schema, const Dims& shape, size_t k) {
  Graph graph;
  Environment types;
  Node node{std::string(op.op_type()), std::string(canonical_domain(op.domain())), "", {}, {}, {}};
  graph.opset_import[node.domain] = schema.since_version();
  for (const FormalParameter& formal : schema.inputs()) {
    const std::vector<ValueType> allowed = types_of(schema, formal, shape);
    for (int copy = 0; copy < (is_variadic(formal.arity) ? 2 : 1); ++copy) {
      const std::string name = format("{}{}", formal.name, copy);
      node.inputs.push_back(name);
      types.emplace(name, Input{name, allowed.at(k % allowed.size())});
      graph.inputs.push_back({name, "", {}, {}});
    }
  }
  for (size_t i = 0; i < std::max<size_t>(schema.least_outputs(), 1); ++i) {
    node.outputs.push_back(format("output{}", i));
    graph.outputs.push_back({node.outputs.back(), "", {}, {}});
  }
  for (const AttributeSchema& attribute : schema.attributes())
    if (attribute.presence == Presence::required)
      if (const auto value = some_value(attribute, node.outputs.size()))
        node.attributes.push_back({std::string(attribute.name), *value});
  graph.nodes.push_back(std::move(node));
  return {std::move(graph), std::move(types)};
}

Environment without_value(Environment environment, std::string_view name) {
  Input& input = environment.find(name)->second;
  input.value = {};
  return environment;
}

}  // namespace

TEST_CASE("operators: no version gives a value for types alone", "[ops]") {
  size_t asked = 0;
  for (const OperatorRow& row : operator_rows()) {
    const Operator& op = *find_operator(row.domain, row.op_type);
    for (const OpSchema& schema : op.versions())
      for (const Dims& shape : {Dims{2, 2}, Dims{}, Dims{0, 2}, Dims{2, 2, 2}, Dims{1, 1, 2, 2}})
        for (size_t k = 0; k < 32; ++k) {
          const auto [graph, types] = node_of(op, schema, shape, k);
          CAPTURE(row.op_type, schema.since_version(), shape, k);
          asked += asks_for_values(graph, types) ? 1 : 0;
        }
  }
  CHECK(asked > 1000);
}

TEST_CASE("operators: no shape is taken for known that values decide", "[ops]") {
  size_t opened = 0;
  for (const OperatorRow& row : operator_rows()) {
    const Operator& op = *find_operator(row.domain, row.op_type);
    for (const Dims& shape : {Dims{2, 2}, Dims{}, Dims{2, 2, 2}}) {
      const auto [graph, types] = node_of(op, op.versions().back(), shape, 0);
      if (!evaluated(graph, types).types) continue;
      for (const auto& [name, input] : types) {
        if (input.type.form != Form::tensor) continue;
        Environment open = types;
        open.find(name)->second.type = ValueType::of_unknown_shape(input.type.dtype());
        CAPTURE(row.op_type, name, shape);
        const Outcome outcome = evaluated(graph, open);
        CHECK((outcome.types || outcome.fault == Fault::usage));
        CHECK_FALSE(outcome.values);
        ++opened;
      }
    }
  }
  CHECK(opened > 20);
}

TEST_CASE("operators: no shipped case gives a value without those of its inputs", "[ops]") {
  const std::vector<std::string> folders = {OPREF_SOURCE_DIR "/testdata"};
  std::set<std::string> tried;
  size_t asked = 0;
  for (const FoundCase& found : discover(folders)) {
    CAPTURE(found.path);
    Environment environment;
    Graph graph;
    try {
      const Bound bound = bind_case(read_case(found.path));
      std::vector<std::string> warnings;
      environment = load_inputs(bound, {}, warnings);
      graph = bound.graph;
      Environment copy = environment;
      infer(graph, copy, {});
    } catch (const Error&) {
      continue;  // a case that must fail
    }
    if (graph.nodes.size() != 1) continue;
    Environment types = environment;
    for (const auto& [name, input] : environment) {
      evaluated(graph, without_value(environment, name));
      types = without_value(std::move(types), name);
    }
    tried.insert(graph.nodes.front().op_type);
    asked += asks_for_values(graph, types) ? 1 : 0;
  }
  for (const OperatorRow& row : operator_rows()) {
    INFO(row.op_type);
    CHECK(tried.contains(std::string(row.op_type)));
  }
  CHECK(asked > 100);
}

}  // namespace opref::ops
