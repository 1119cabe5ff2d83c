// SPDX-License-Identifier: Apache-2.0
#include "schema/call.h"

#include <catch2/catch.hpp>

#include "core/error.h"
#include "schema/node.h"
#include "schema/resolve.h"

namespace opref::schema::call_test {
namespace {

/// In version 1 `axes`, `keep`, `mode`, `scale` are attributes, in 3 inputs.
Operator sample() {
  return Operator("ai.onnx", "Sample")
      .version(
          1,
          [](OpSchema& s) {
            s.input("X", "T").output("Y", "T").output("Z", "int64", Arity::optional).types("T", types::ir14);
            s.attribute(optional(INTS, "axes")).attribute(with_default("keep", 1)).attribute(optional(INT, "more"));
            s.attribute(with_default("mode", "a")).attribute(with_default("scale", 2.5F));
          })
      .version(3,
               [](OpSchema& s) {
                 s.becomes_input("axes").becomes_input("keep").remove("mode").remove("scale");
                 s.input("mode", "string", Arity::optional).input("scale", "float32", Arity::optional);
                 s.change_parameter("axes").type = "I";
                 s.types("I", types::integers);
               })
      .version(
          5,
          [](OpSchema& s) {
            s.anew().input("X", "T").input("all", "V", Arity::heterogeneous).output("Y", "T");
            s.types("T", types::basic).types("V", types::basic | sequences(types::basic) | optionals(types::basic));
          })
      .reading({.name = "sample.choice", .alternatives = {"one", "two"}, .defaults = {{1, "one"}}, .reason = "why"})
      .output_types([](const Call& call) { return std::vector<ValueType>{call.type("X")}; })
      .undetermined("it is random");
}

const Operator& op() {
  static const Operator built = sample();
  return built;
}

template <class T>
Input given(const std::string& name, DType dtype, const std::vector<T>& values) {
  const Tensor tensor = Tensor::of<T>(dtype, Dims{static_cast<std::int64_t>(values.size())}, values);
  return {name, tensor.type(), tensor};
}

Input known(const std::string& name, const ValueType& type = {DType::float32, Dims{2}}) { return {name, type}; }

Call call_of(std::int64_t opset, const std::vector<Input>& inputs, std::vector<Attribute> attributes = {},
             std::vector<std::string> outputs = {"y"}) {
  Node node{"Sample", "", "", std::move(attributes), {}, std::move(outputs)};
  for (const Input& input : inputs) node.inputs.push_back(input.name);
  return resolve(op().at(opset), node, inputs, {});
}

using Integers = std::vector<std::int64_t>;

}  // namespace

TEST_CASE("a call with another reading is evaluated alike, but not counted", "[schema]") {
  Stats stats;
  Call call;
  call.set_numerics({.exact_only = true, .stats = &stats});
  const Call other = call.with_reading("an.operator", "alternative");
  CHECK(other.numerics().exact_only);
  CHECK(other.numerics().stats == nullptr);
  CHECK(call.numerics().stats == &stats);
}

TEST_CASE("calls: a name is an attribute's or an input's, whichever the version has", "[schema]") {
  const Call before = call_of(1, {known("x")}, {{"axes", AttributeValue::of(Integers{-1, 2})}});
  CHECK(before.has("axes"));
  CHECK(before.integers("axes") == Integers{-1, 2});
  CHECK(before.integer("keep") == 1);
  CHECK(before.string("mode") == "a");
  CHECK(before.number("scale") == 2.5F);
  CHECK_FALSE(before.has("more"));
  CHECK_FALSE(call_of(1, {known("x")}).has("axes"));
  CHECK_FALSE(before.has_here("no such name"));
  CHECK_THROWS_WITH(before.has("no such name"), "Sample-1 was asked for 'no such name', which no version of it has");
  const Tensor mode(Dims{}, {"b"});
  const Call after = call_of(3, {known("x"),
                                 given<std::int8_t>("a", DType::int8, {-1, 2}),
                                 given<std::int64_t>("k", DType::int64, {7}),
                                 {"m", mode.type(), mode},
                                 given<float>("s", DType::float32, {0.5F})});
  CHECK(after.has("axes"));
  CHECK(after.integers("axes") == Integers{-1, 2});
  CHECK(after.integer("keep") == 7);
  CHECK(after.string("mode") == "b");
  CHECK(after.number("scale") == 0.5F);
  CHECK_FALSE(call_of(3, {known("x"), known("", {}), given<std::int64_t>("k", DType::int64, {7})}).has("axes"));
  CHECK_THROWS_WITH(call_of(3, {known("x"), known("a", {DType::int32, Dims{2}})}).integers("axes"),
                    "Sample-3 needs the values of axes");
  CHECK_THROWS_WITH(after.integer("axes"), "axes has shape [2], but must have one element");
  const Call large = call_of(3, {known("x"), given<std::uint64_t>("a", DType::uint64, {UINT64_MAX})});
  CHECK_THROWS_WITH(large.integers("axes"), "axes has the value 18446744073709551615, which does not fit into int64");
}

TEST_CASE("calls: an axis counts from the end where it is negative", "[schema]") {
  const auto axis = [](std::int64_t keep, size_t rank) {
    return call_of(1, {known("x")}, {{"keep", AttributeValue::of(keep)}}).axis("keep", rank);
  };
  CHECK(axis(0, 3) == 0);
  CHECK(axis(2, 3) == 2);
  CHECK(axis(-1, 3) == 2);
  CHECK(axis(-3, 3) == 0);
  CHECK_THROWS_WITH(axis(3, 3), "keep is 3, but must be from -3 to 2: the rank is 3");
  CHECK_THROWS_WITH(call_of(1, {known("x")}).axis("keep", 1),
                    "keep is 1, its default, but must be from -1 to 0: the rank is 1");
  CHECK_THROWS_WITH(axis(-4, 3), "keep is -4, but must be from -3 to 2: the rank is 3");
}

TEST_CASE("calls: variadic inputs, wanted outputs", "[schema]") {
  const Value sequence = Sequence{DType::float32, {Tensor()}};
  const Call call = call_of(5, {known("x"),
                                known("a"),
                                {"b", {Form::sequence, DType::float32}, sequence},
                                known("c", {Form::optional, DType::int8})});
  REQUIRE(call.inputs("all").size() == 3);
  CHECK(call.inputs("all")[0].name == "a");
  CHECK(call.inputs("all")[2].type == ValueType(Form::optional, DType::int8));
  CHECK(std::get<Sequence>(*call.inputs("all")[1].value).elements.size() == 1);
  CHECK(call.value_type("all") == ValueType(DType::float32, Dims{2}));
  CHECK_THROWS_WITH(call.inputs("X"), "Sample-5 was asked for its variadic input 'X'");
  CHECK_THROWS_WITH(call_of(5, {known("x")}), "Sample-5 takes at least 2 inputs, but the node has 1");
  CHECK_THROWS_WITH(call_of(3, {known("x", {Form::sequence, DType::float32})}),
                    Catch::Contains("X has type sequence of float32, but Sample-3 takes float16, "));
  CHECK_FALSE(call_of(1, {known("x")}).wants("Z"));
  CHECK_FALSE(call_of(1, {known("x")}, {}, {"y", ""}).wants("Z"));
  const Call both = call_of(1, {known("x")}, {}, {"y", "z"});
  CHECK(both.wants("Y"));
  CHECK(both.wants("Z"));
  CHECK(both.output_count() == 2);
  CHECK_THROWS_WITH(both.wants("X"), "Sample-1 was asked for its output 'X'");
}

TEST_CASE("calls: types of tensors without a shape, values that are no tensors", "[schema]") {
  const Call call = call_of(1, {known("x", ValueType::of_unknown_shape(DType::float32))});
  CHECK(to_text(call.value_type("X")) == "float32[decided by values]");
  CHECK_THROWS_WITH(call.type("X"), "Sample-1 needs the shape of X, which values decide");
  const Call sequence = call_of(5, {known("x"), known("s", {Form::sequence, DType::string})});
  CHECK_THROWS_WITH(sequence.type("all"), "Sample-5 was asked for the shape of 'all', a sequence of string");
  const Input input{"s", {Form::sequence, DType::float32}, Sequence{}};
  CHECK_THROWS_WITH(input.tensor(), "'s' is no tensor");
  CHECK_THROWS_WITH(known("x").tensor(), "'x' has no value");
  const std::vector<Value> values{Value(Tensor()), Value(Sequence{})};
  CHECK_THROWS_WITH(tensors_of(values), "a value is no tensor");
  CHECK(tensors_of(std::span(values).first(1)).size() == 1);
}

TEST_CASE("calls: attributes that are tensors, graphs and lists", "[schema]") {
  const Operator holder = Operator("ai.onnx", "Holder").version(1, [](OpSchema& s) {
    s.output("Y", "float32").attribute(optional(TENSOR, "t")).attribute(optional(SPARSE_TENSOR, "s"));
    s.attribute(optional(GRAPH, "g")).attribute(optional(FLOATS, "f")).attribute(optional(STRINGS, "w"));
  });
  const auto call_with = [&](Attribute attribute) {
    return resolve(holder.at(1), {"Holder", "", "", {std::move(attribute)}, {}, {"y"}}, {}, {});
  };
  CHECK(call_with({"t", AttributeValue{TENSOR, Tensor()}}).tensor("t").shape() == Dims{0});
  const SparseTensor sparse{Tensor(), Tensor(), Dims{7}};
  CHECK(call_with({"s", AttributeValue{SPARSE_TENSOR, sparse}}).sparse_tensor("s").shape == Dims{7});
  CHECK(call_with({"f", AttributeValue::of(std::vector<float>{1, 2})}).numbers("f") == std::vector<float>{1, 2});
  CHECK(call_with({"w", AttributeValue::of(std::vector<std::string>{"a"})}).strings("w").at(0) == "a");
  // What could not be read is an error where the operator knows it.
  const auto why = std::make_shared<const Error>(Fault::malformed, "its data are missing");
  CHECK_THROWS_WITH(call_with({"t", AttributeValue{TENSOR, Opaque{why}}}), "its data are missing");
  CHECK_THROWS_WITH(call_with({"g", AttributeValue{GRAPH, Opaque{}}}),
                    "attribute 'g': values of type GRAPH are not read");

  /// Types as many as inputs, values as they are given; the second graph is refused.
  struct Echo : Subgraphs {
    std::vector<ValueType> types(const Graph& graph, std::span<const ValueType> inputs) const override {
      require(graph.name != "bad", "it is bad");
      return {inputs.begin(), inputs.end()};
    }
    std::vector<ValueType> inferred(const Graph& graph, std::span<const ValueType>) const override {
      return std::vector<ValueType>(graph.name.size());
    }
    std::vector<Value> values(const Graph&, std::span<const Value> inputs, std::int64_t) const override {
      return {inputs.begin(), inputs.end()};
    }
  };
  const auto graph_call = [&](const char* name) {
    Graph graph;
    graph.name = name;
    return call_with({"g", AttributeValue{GRAPH, std::make_shared<const Graph>(graph)}});
  };
  Call call = graph_call("good");
  CHECK(call.graph("g").name == "good");
  CHECK_THROWS_WITH(call.graph_types("g", {}), "Holder-1 has nobody to evaluate its subgraphs");
  call.set_subgraphs(std::make_shared<const Echo>());
  const std::vector<ValueType> types{{DType::int8, Dims{3}}};
  CHECK(call.graph_types("g", types) == types);
  CHECK(call.inferred_graph_types("g", types).size() == 4);
  const std::vector<Value> values{Tensor(Dims{}, {"a"})};
  CHECK(call.graph_values("g", values).at(0).tensor()->strings()[0] == "a");
  Call bad = graph_call("bad");
  bad.set_subgraphs(std::make_shared<const Echo>());
  try {
    bad.graph_types("g", {});
    FAIL_CHECK("accepted");
  } catch (const Error& error) {
    CHECK(error.text() == "it is bad\n  in g");
  }
}

TEST_CASE("calls: a reading, by its alternative", "[schema]") {
  const Call call = call_of(1, {known("x")});
  CHECK(call.reads("sample.choice", "one"));
  CHECK_FALSE(call.reads("sample.choice", "two"));
  CHECK(call.with_reading("sample.choice", "two").reads("sample.choice", "two"));
  CHECK_THROWS_WITH(call.reads("sample.choice", "tow"), "Sample-1 was asked for the reading sample.choice = tow");
  CHECK_THROWS_WITH(call.reads("sample.chioce", "one"), "Sample-1 was asked for the reading sample.chioce = one");
}

TEST_CASE("calls: another attribute is checked as if the node stated it", "[schema]") {
  const Call call = call_of(1, {known("x")}, {{"axes", AttributeValue::of(Integers{1, 2})}});
  const Call reversed = call.with_attribute("axes", AttributeValue::of(Integers{2, 1}));
  CHECK(reversed.integers("axes") == Integers{2, 1});
  CHECK(call.integers("axes") == Integers{1, 2});
  CHECK_FALSE(call.without_attribute("axes").has("axes"));
  const Call kept = call.with_attribute("keep", AttributeValue::of(std::int64_t{0}));
  CHECK(kept.stated("keep"));
  CHECK(kept.stated("axes"));
  CHECK(kept.integer("keep") == 0);
  const Call by_default = kept.without_attribute("keep");
  CHECK_FALSE(by_default.stated("keep"));
  CHECK(by_default.integer("keep") == 1);
  CHECK_THROWS_WITH(call.with_attribute("keep", AttributeValue::of(2.0F)),
                    "attribute 'keep' has type FLOAT, but Sample-1 takes INT");
  CHECK_THROWS_WITH(call.with_attribute("axis", AttributeValue::of(std::int64_t{1})),
                    "'axis' is not an attribute of Sample-1, did you mean 'axes'?");
}

TEST_CASE("calls: another input is checked as if the node had it", "[schema]") {
  const Call call = call_of(
      3, {known("x"), given<std::int64_t>("a", DType::int64, {4}), known("", {}), known("m", {DType::string, {}})});
  const Call other = call.with_input("axes", Tensor::of<std::int64_t>(DType::int64, Dims{2}, Integers{5, 6}));
  CHECK(other.integers("axes") == Integers{5, 6});
  CHECK(other.type("axes").shape == Dims{2});
  CHECK(call.integers("axes") == Integers{4});
  const Call longer = call.with_input("scale", Tensor::of<float>(DType::float32, Dims{}, std::vector<float>{3}));
  CHECK(longer.number("scale") == 3);
  CHECK_FALSE(longer.has("keep"));
  CHECK_FALSE(call.without_input("axes").has("axes"));
  CHECK(call.without_input("scale").says_as(call));
  CHECK_THROWS_WITH(call.without_input("X"), "input 'X' is omitted, but Sample-3 requires it");
  CHECK_THROWS_WITH(call.with_input("axes", Tensor::of<float>(DType::float32, Dims{1}, std::vector<float>{3})),
                    Catch::Matchers::StartsWith("axes has type float32, but Sample-3 takes "));
  CHECK_THROWS_WITH(call.with_input("axis", Tensor()), "Sample-3 was asked for its input 'axis'");
}

TEST_CASE("calls: two say the same where attributes in force, inputs and readings are alike", "[schema]") {
  const Input x = given<std::int64_t>("x", DType::int64, {1, 2});
  const Call call = call_of(1, {x}, {{"axes", AttributeValue::of(Integers{1, 1})}});
  CHECK(call.says_as(call));
  CHECK(call.with_attribute("keep", AttributeValue::of(std::int64_t{1})).says_as(call));  // its default
  CHECK_FALSE(call.with_attribute("keep", AttributeValue::of(std::int64_t{0})).says_as(call));
  CHECK_FALSE(call.without_attribute("axes").says_as(call));
  CHECK(call.with_input("X", Tensor::of<std::int64_t>(DType::int64, Dims{2}, Integers{1, 2})).says_as(call));
  CHECK_FALSE(call.with_input("X", Tensor::of<std::int64_t>(DType::int64, Dims{2}, Integers{1, 3})).says_as(call));
  CHECK_FALSE(call.with_input("X", Tensor::of<std::int64_t>(DType::int64, Dims{1, 2}, Integers{1, 2})).says_as(call));
  CHECK(call.with_reading("sample.choice", "one").says_as(call));
  CHECK_FALSE(call.with_reading("sample.choice", "two").says_as(call));
}

TEST_CASE("an operator without a kernel says why", "[schema]") {
  const Call call = call_of(1, {known("x")});
  CHECK(op().output_types(call) == std::vector<ValueType>{{DType::float32, Dims{2}}});
  CHECK_THROWS_WITH(op().kernel(call, op().output_types(call)), "Sample-1 gives no values: it is random");
}

}  // namespace opref::schema::call_test
