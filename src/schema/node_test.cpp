// SPDX-License-Identifier: Apache-2.0
#include "schema/node.h"

#include <catch2/catch.hpp>

#include "core/error.h"

namespace opref::schema::node_test {
namespace {

Attribute body(Graph graph) {
  return {"body", AttributeValue{AttributeType::GRAPH, std::make_shared<const Graph>(std::move(graph))}};
}

Node node(std::vector<std::string> inputs, std::vector<std::string> outputs, std::vector<Attribute> attributes = {}) {
  return {"Op", "", "", std::move(attributes), std::move(inputs), std::move(outputs)};
}

ValueInfo info(const char* name) { return {name, "", {}, {}}; }

TEST_CASE("a node reads its inputs and what its subgraphs read from around them", "[schema]") {
  CHECK(names_read(node({"a", "", "a"}, {"b"})) == std::set<std::string, std::less<>>{"a"});
  // i is the body's input, w its initializer, t one of its nodes' outputs; u is read before it is given.
  Graph inner{"", {node({"o", "t"}, {"v"})}, {}, {}, {}, {}};
  Graph graph{"", {node({"i", "w", "u"}, {"t"}), node({"x", "t"}, {"u"}, {body(inner)})}, {info("i")}, {}, {}, {}};
  graph.initializers.push_back({"w", Tensor()});
  CHECK(names_read(node({"c"}, {"d"}, {body(graph)})) == std::set<std::string, std::less<>>{"c", "o", "u", "x"});
  CHECK(subgraph(body(graph))->nodes.size() == 2);
  CHECK(subgraph({"p", AttributeValue::of(std::int64_t{2})}) == nullptr);
  CHECK(subgraph({"p", Untyped{}}) == nullptr);
}

TEST_CASE("declared types: their texts, and what agrees with them", "[schema]") {
  const ValueInfo tensor{"t", "", DType::float32, std::vector<DeclaredDim>{{2, "", ""}, {{}, "N", ""}, {{}, "", ""}}};
  CHECK(to_text(tensor) == "float32[2,N,?]");
  CHECK(agrees(tensor, ValueType(DType::float32, Dims{2, 3, 4})));
  CHECK_FALSE(agrees(tensor, ValueType(DType::float32, Dims{1, 3, 4})));
  CHECK_FALSE(agrees(tensor, ValueType(DType::float64, Dims{2, 3, 4})));
  CHECK_FALSE(agrees(tensor, ValueType(Form::sequence, DType::float32)));
  CHECK(agrees(tensor, ValueType::of_unknown_shape(DType::float32)));
  const ValueInfo sequence{"s", "", DType::int8, {}, Form::sequence};
  CHECK(to_text(sequence) == "sequence of int8");
  CHECK(agrees(sequence, ValueType(Form::sequence, DType::int8)));
  CHECK_FALSE(agrees(sequence, ValueType(Form::sequence, DType::int16)));
  CHECK_FALSE(agrees(sequence, ValueType(Form::optional_sequence, DType::int8)));
  CHECK_FALSE(agrees(sequence, ValueType(DType::int8, Dims{1})));
  const ValueInfo map{"m", "map(int64,tensor(float))", {}, {}};
  CHECK(to_text(map) == "map(int64,tensor(float))");
  CHECK_FALSE(agrees(map, ValueType(DType::float32, Dims{})));
  CHECK(to_text(info("u")).empty());
  CHECK(agrees(info("u"), ValueType(Form::sequence, DType::string)));
}

}  // namespace
}  // namespace opref::schema::node_test
