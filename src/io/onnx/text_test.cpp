// SPDX-License-Identifier: Apache-2.0
#include <onnx/defs/parser.h>

#include <catch2/catch.hpp>

#include "io/onnx/onnx.h"
#include "io/onnx/testing.h"

namespace text_test {

using namespace opref::io;

namespace {

Node node_of(std::string_view text) {
  const Case loaded = read_onnx_text(text);
  REQUIRE(loaded.graph.nodes.size() == 1);
  return loaded.graph.nodes[0];
}

/// The only attribute of "Y = Op <…> (X)".
Attribute attribute_of(std::string_view text) {
  return node_of("Y = Op <" + std::string(text) + "> (X)").attributes.at(0);
}

/// "3", "'quoted'", "[1 2.5]": the items as they are written.
std::string items_of(std::string_view text) {
  const Attribute attribute = attribute_of(text);
  const auto& untyped = std::get<Untyped>(attribute.value);
  std::string items;
  for (const UntypedItem& item : untyped.items)
    items += (items.empty() ? "" : " ") + (item.quoted ? "'" + item.text + "'" : item.text);
  return untyped.is_list ? "[" + items + "]" : items;
}

AttributeValue typed(std::string_view text) { return std::get<AttributeValue>(attribute_of(text).value); }

std::string error_of_text(std::string_view text) {
  return error_of([&] { read_onnx_text(text); });
}

std::string bytes_of_tensor(std::string_view text) { return to_hex(std::get<Tensor>(typed(text).value).bytes()); }

}  // namespace

TEST_CASE("onnx text: a node", "[onnx]") {
  const Case loaded = read_onnx_text("Y = LpPool <kernel_shape = [3, 3], p = 2> (X)");
  CHECK(loaded.format == CaseFormat::onnx_text);
  CHECK(loaded.graph.opset_import.empty());
  const Node& node = loaded.graph.nodes.at(0);
  CHECK(node.op_type == "LpPool");
  CHECK(node.domain.empty());
  CHECK(node.inputs == std::vector<std::string>{"X"});
  CHECK(node.outputs == std::vector<std::string>{"Y"});
  REQUIRE(node.attributes.size() == 2);
  CHECK(node.attributes[0].name == "kernel_shape");
  CHECK(node_of("Y = LpPool (X) <p = 2>").attributes.size() == 1);
  CHECK(node_of("Y=Op(X)").attributes.empty());
}

TEST_CASE("onnx text: names, domains, omitted inputs and outputs", "[onnx]") {
  using Names = std::vector<std::string>;
  CHECK(node_of("Y = Op (X, , S)").inputs == Names{"X", "", "S"});
  CHECK(node_of("Y = Op (, X)").inputs == Names{"", "X"});
  CHECK(node_of("Y = Op (X,)").inputs == Names{"X"});
  CHECK(node_of("Y = Op (,)").inputs == Names{""});
  CHECK(node_of("Y = Op (\"\")").inputs == Names{""});
  CHECK(node_of("Y = Op ()").inputs.empty());
  CHECK(node_of("Y, , Z = Op (X)").outputs == Names{"Y", "", "Z"});
  CHECK(node_of(R"("a.b/c:0" = Op ("say \"x\""))").outputs == Names{"a.b/c:0"});
  CHECK(node_of(R"("a.b/c:0" = Op ("say \"x\""))").inputs == Names{"say \"x\""});
  const Node node = node_of("[n1] Y = ai.onnx.ml.Foo (X)");
  CHECK(node.name == "n1");
  CHECK(node.domain == "ai.onnx.ml");
  CHECK(node.op_type == "Foo");
}

TEST_CASE("onnx text: several nodes and comments", "[onnx]") {
  const Case loaded = read_onnx_text("# first\nt = Relu (X) # then\n\n  Y = Neg (t)\n");
  REQUIRE(loaded.graph.nodes.size() == 2);
  CHECK(loaded.graph.nodes[1].op_type == "Neg");
}

TEST_CASE("onnx text: attributes keep the digits that were written", "[onnx]") {
  CHECK(items_of("a = 1.7000000001") == "1.7000000001");
  CHECK(items_of("a = [1, 2.5, -3e-2]") == "[1 2.5 -3e-2]");  // ONNX's parser loses the 1
  CHECK(items_of("a = 99999999999999999999999") == "99999999999999999999999");
  CHECK(items_of("a = 1e999") == "1e999");
  CHECK(items_of("a = -.5") == "-.5");
  CHECK(items_of("a = +2") == "+2");
  CHECK(items_of("a = \"SAME_UPPER\"") == "'SAME_UPPER'");
  CHECK(items_of("a = [\"x\", \"y z\"]") == "['x' 'y z']");
  CHECK(items_of("a = []") == "[]");
  // ONNX's parser of version 1.12 takes these for graphs.
  CHECK(items_of("a = SAME_UPPER") == "SAME_UPPER");
  CHECK(items_of("a = inf, b = 1") == "inf");
  CHECK(items_of("a = -inf") == "-inf");
  CHECK(items_of("a = NaN") == "NaN");
}

TEST_CASE("onnx text: attributes with a type", "[onnx]") {
  CHECK(std::get<float>(typed("a : float = 1").value) == 1.0f);
  CHECK(std::get<std::vector<std::int64_t>>(typed("a : ints = []").value).empty());
  CHECK(std::get<std::string>(typed("a : string = \"x\"").value) == "x");
  CHECK(typed("a : tensor = float[1] {1}").type == AttributeType::TENSOR);
  CHECK(error_of_text("Y = Op <a : int = 1.5> (X)") == "invalid: attribute 'a': '1.5' is not an integer");
  CHECK(
      error_of_text("Y = Op <a : number = 1> (X)") ==
      "malformed: ONNX text: an attribute's type (int, floats, tensor, …) expected at position 13: 'number = 1> (X)'");
  CHECK(error_of_text("Y = Op <a : graph = float[1] {1}> (X)") ==
        "malformed: ONNX text: a value of the stated type GRAPH expected at position 21: 'float[1] {1}> (X)'");
}

TEST_CASE("onnx text: attributes that are no numbers or strings", "[onnx]") {
  CHECK(typed("a = sub (float x) => (float y) { y = Relu (x) }").type == AttributeType::GRAPH);
  const AttributeValue held =
      typed("a = sub (float x, float[1] w = {2}) => (float y) <float v = {3}> { y = Relu (x) }");
  const auto graph = std::get<std::shared_ptr<const Graph>>(held.value);
  CHECK(graph->name == "sub");
  CHECK(graph->inputs.size() == 1);
  CHECK(graph->nodes.at(0).op_type == "Relu");
  REQUIRE(graph->initializers.size() == 2);
  CHECK(graph->initializers[0].name == "w");
  CHECK(std::get<Tensor>(graph->initializers[1].value).values<float>()[0] == 3);
  CHECK(typed("a = seq(float[2])").type == AttributeType::TYPE_PROTO);
  CHECK(typed("a = float").type == AttributeType::TYPE_PROTO);
  CHECK(to_text(typed("a = optional(seq(int8))")) == "optional sequence of int8");
  CHECK(typed("a = [float {1}, float t = {2}]").type == AttributeType::TENSORS);
  CHECK(typed("a = [g () => () {}, h () => () {}]").type == AttributeType::GRAPHS);
  CHECK(error_of_text("Y = Op <a = [1, float {1}]> (X)") ==
        "malformed: ONNX text: a list of values of one kind expected at position 13: '[1, float {1}]> (X)'");
}

// The entries are those of TensorProto's typed fields: onnx.parser.parse_node of onnx 1.23.2 gives int32_data = [15360,
// 49152] for the float16 tensor, [24, 7] for int4 and float_data = [1, 2] for complex64.
TEST_CASE("onnx text: tensors", "[onnx]") {
  CHECK(to_text(std::get<Tensor>(typed("a = int64[2,1] {-1, 2}").value).type()) == "int64[2,1]");
  CHECK(bytes_of_tensor("a = int64[2,1] {-1, 2}") == "ffffffffffffffff0200000000000000");
  CHECK(bytes_of_tensor("a = float[2] t = {1.5, inf}") == "0000c03f0000807f");
  CHECK(bytes_of_tensor("a = float {2}") == "00000040");
  CHECK(bytes_of_tensor("a = double[1] {0.1}") == "9a9999999999b93f");
  CHECK(bytes_of_tensor("a = float16[2] {15360, 49152}") == "003c00c0");
  CHECK(bytes_of_tensor("a = int4[3] {24, 7}") == "1807");
  CHECK(bytes_of_tensor("a = complex64[1] {1, 2}") == "0000803f00000040");
  CHECK(bytes_of_tensor("a = bool {1}") == "01");
  CHECK(bytes_of_tensor("a = uint64[1] {18446744073709551615}") == "ffffffffffffffff");
  CHECK(bytes_of_tensor("a = float[0] {}").empty());
  CHECK(std::get<Tensor>(typed("a = string[1] {\"x\"}").value).strings()[0] == "x");

  CHECK(error_of_text("Y = Op <a = float[3] {1, 2}> (X)") ==
        "malformed: float32[3] takes 3 values in float_data, but there are 2");
  CHECK(error_of_text("Y = Op <a = float[N] {1}> (X)") ==
        "malformed: ONNX text: values of a tensor whose sizes are not all numbers at position 22: '{1}> (X)'");
  CHECK(error_of_text("Y = Op <a = float[] {1}> (X)") ==
        "malformed: ONNX text: values of what is no tensor with known sizes at position 21: '{1}> (X)'");
  CHECK(error_of_text("Y = Op <a = float16 {1.5}> (X)") ==
        "malformed: ONNX text: the bit pattern of a float16, as an integer, expected at position 22: '1.5}> (X)'");
  CHECK(error_of_text("Y = Op <a = int8 {1.5}> (X)") ==
        "malformed: ONNX text: a 32-bit integer expected at position 19: '1.5}> (X)'");
  CHECK(error_of_text("Y = Op <a = float {1e99}> (X)") ==
        "malformed: ONNX text: a float32 expected at position 20: '1e99}> (X)'");
  CHECK(error_of_text("Y = Op <a = uint64 {-1}> (X)").starts_with("malformed: ONNX text: an unsigned 64-bit integer"));
}

// onnx.parser.parse_model of onnx 1.23.2 reads the same names, types and values.
TEST_CASE("onnx text: a model", "[onnx]") {
  const Case loaded = read_onnx_text(R"(<ir_version: 8, opset_import: ["" : 18, "ai.onnx.ml" : 3], producer_name: "p",
      metadata_props: ["k" : "v"]>
    # a comment
    agraph (float[N, 3] X, float[3] W = {1, 2, 3}) => (float[] Y, seq(float[2]) S) <float s = {2}, int64[?] q>
    { t = Mul (X, W)
      Y = Mul (t, s) }
    <domain: "com.f", opset_import: ["" : 17]> f <a, b: int = 1> (x) => (y) { y = Relu <a = "}", g = @b> (x) }
  )");
  const Graph& graph = loaded.graph;
  CHECK(graph.name == "agraph");
  CHECK(graph.opset_import == std::map<std::string, std::int64_t, std::less<>>{{"", 18}, {"ai.onnx.ml", 3}});
  CHECK(graph.nodes.size() == 2);
  REQUIRE(graph.inputs.size() == 1);
  CHECK(graph.inputs[0].name == "X");
  CHECK(graph.inputs[0].dtype == DType::float32);
  CHECK(graph.inputs[0].dims->at(0).symbol == "N");
  CHECK(graph.inputs[0].dims->at(1).size == 3);
  REQUIRE(graph.outputs.size() == 2);
  CHECK(graph.outputs[0].dtype == DType::float32);
  CHECK(!graph.outputs[0].dims);
  CHECK(to_text(graph.outputs[1]) == "sequence of float32");
  REQUIRE(graph.declared.size() == 1);
  CHECK(graph.declared[0].dims->size() == 1);
  CHECK(!graph.declared[0].dims->at(0).size);
  REQUIRE(loaded.inputs.size() == 2);
  CHECK(loaded.inputs[0].name == "W");
  CHECK(loaded.inputs[0].source.loaded()->decode().tensor()->values<float>()[2] == 3.0f);
  CHECK(loaded.inputs[1].source.loaded()->decode().tensor()->shape().empty());

  CHECK(read_onnx_text("<ir_version: 1> g (map(int64, seq(float)) x) => (optional(float16[1]) y) { y = A (x) }")
            .graph.opset_import.at("") == 1);
  CHECK(error_of_text("<opset_imports: [\"\" : 1]> g () => () {}") ==
        "malformed: ONNX text: unknown key 'opset_imports', did you mean 'opset_import'? at position 2: "
        "'opset_imports: [\"\" : 1]> g () => () {}'");
  CHECK(error_of_text("<opset_import: [\"\" : 1, \"ai.onnx\" : 2]> g () => () {}") ==
        "malformed: opset_import has version 1 and version 2 of the domain 'ai.onnx'");
  CHECK(error_of_text("<ir_version: 99999999999999999999> g () => () {}") ==
        "malformed: ONNX text: an integer of 64 bits expected at position 14: '99999999999999999999> g () => () {}'");
  CHECK(error_of_text("<> g (tensor(float) x) => () {}") ==
        "malformed: ONNX text: ')' expected at position 13: '(float) x) => () {}'");
  CHECK(error_of_text("<> g (\n  float x) = (y) {}") ==
        "malformed: ONNX text: '=>', as in the graph 'g (X) => (Y) { Y = Relu (X) }', expected at line 2, position 12: "
        "'= (y) {}'");
  CHECK(error_of_text("<> g () => () {} }") == "malformed: ONNX text: a function expected at position 18: '}'");
  CHECK(error_of_text("<> g () => () {} f () => ()") == "malformed: ONNX text: '{' expected at the end");
}

TEST_CASE("onnx text: malformed nodes", "[onnx]") {
  const auto malformed = [](std::string_view text) {
    const std::string error = error_of_text(text);
    constexpr std::string_view kStart = "malformed: ONNX text: ";
    return error.starts_with(kStart) ? error.substr(kStart.size()) : "not that: " + error;
  };
  CHECK(error_of_text("") == "malformed: the ONNX text is empty");
  CHECK(error_of_text(" # nothing\n") == "malformed: the ONNX text is empty");
  const std::string node = "a node, 'OUTPUT = OPERATOR (INPUT, …)', expected";
  CHECK(malformed("Y = Relu (X) trailing garbage") == node + " at position 14: 'trailing garbage'");
  CHECK(malformed("Y = Relu (X))") == node + " at position 13: ')'");
  CHECK(malformed("Y = Relu (X)\n]") == node + " at line 2, position 1: ']'");
  CHECK(malformed("Y Relu (X)") == node + " at position 1: 'Y Relu (X)'");
  CHECK(malformed("= Relu (X)") == node + " at position 1: '= Relu (X)'");
  CHECK(malformed("Y = (X)") == "an operator expected at position 5: '(X)'");
  CHECK(malformed("Y = a. (X)") == "an operator expected at position 8: '(X)'");
  CHECK(malformed("Y = Relu") == "'(' expected at the end");
  CHECK(malformed("Y = Relu (X") == "')' expected at the end");
  CHECK(malformed("Y = Relu (X Z)") == "')' expected at position 13: 'Z)'");
  CHECK(malformed("Y = Op <a = 1 (X)") == "'>' expected at position 15: '(X)'");
  CHECK(malformed("Y = Op <a 1> (X)") == "'=' expected at position 11: '1> (X)'");
  CHECK(malformed("Y = Op <a = > (X)") == "a number expected at position 13: '> (X)'");
  CHECK(malformed("Y = Op <a = -> (X)") == "a number expected at position 13: '-> (X)'");
  CHECK(malformed("Y = Op <a = 1.2.3> (X)") == "a number expected at position 13: '1.2.3> (X)'");
  CHECK(malformed("Y = Op <a = 1e> (X)") == "a number expected at position 13: '1e> (X)'");
  CHECK(malformed("Y = Op <a = .> (X)") == "a number expected at position 13: '.> (X)'");
  CHECK(malformed("Y = Op <a = 0x10> (X)") == "a number expected at position 13: '0x10> (X)'");
  CHECK(malformed("Y = Op <a = -abc> (X)") == "a number expected at position 13: '-abc> (X)'");
  CHECK(malformed("Y = Op <a = [1, 2> (X)") == "']' expected at position 18: '> (X)'");
  CHECK(malformed("Y = Op <a = \"open> (X)") == "the quotation mark has no partner at position 13: '\"open> (X)'");
  CHECK(malformed("Y = Op <a = \"open\\") == "the quotation mark has no partner at position 13: '\"open\\'");
  CHECK(malformed(std::string_view("Y = Relu (X)\0", 13)) == node + " at position 13: '\\x00'");
  CHECK(malformed("Y = Relu (\xff)") == "')' expected at position 11: '\\xff)'");
}

TEST_CASE("onnx text: long and deep texts end soon", "[onnx]") {
  const auto repeated = [](std::string_view part, int times) {
    std::string text;
    for (int i = 0; i < times; ++i) text += part;
    return text;
  };
  constexpr int kTimes = 1 << 17;
  CHECK(error_of_text("Y = Op <a = " + repeated("seq(", kTimes))
            .starts_with("malformed: ONNX text: nested more than 50 deep"));
  CHECK(error_of_text("Y = Op <a = " + repeated("g () => () { y = Op <a = ", kTimes / 8))
            .starts_with("malformed: ONNX text: nested more than 50 deep"));
  for (const std::string_view part :
       {"(", "[", "<", "{", "x", "\"", "#", "-", "x = ", "x,", "x = y ()", "\n", "\\", "\xff"})
    CHECK(error_of_text(repeated(part, kTimes)).starts_with(part == "x = y ()" ? "no error" : "malformed: "));
  CHECK(error_of_text("Y = Op <a = [" + repeated("1,", kTimes)).starts_with("malformed: "));
}

TEST_CASE("onnx text: a model and a node cut off anywhere, or with one character changed", "[onnx]") {
  for (const std::string_view whole :
       {"Y, Z = a.Op <a = [1, -2.5e3], b : float = inf, c = \"s\", d = float16[1] {1}, e = seq(float)> (X, , S)",
        "<ir_version: 8, opset_import: [\"\" : 18]> g (float[N, 3] X, float[1] W = {1}) => (float[] Y) <int64[?] q> "
        "{ Y = Op <h = s (x) => (y) {y = A (x)}> (X) }"}) {
    REQUIRE(error_of_text(whole) == "no error");
    for (size_t length = 0; length < whole.size(); ++length)
      CHECK(error_of_text(whole.substr(0, length)) != "no error");
    for (size_t place = 0; place < whole.size(); ++place) {
      for (const char c : std::string_view("\0\"(<{[]}>)=,.-1x @#\xff", 20)) {
        std::string changed(whole);
        changed[place] = c;
        const std::string error = error_of_text(changed);
        CHECK((error == "no error" || error.starts_with("malformed: ") || error.starts_with("invalid: ") ||
               error.starts_with("unsupported: ")));
      }
    }
  }
}

// Witness: the parser of libonnx 1.12, on texts that it reads as they are meant.
TEST_CASE("onnx text: nodes as ONNX's parser reads them", "[onnx]") {
  for (const std::string text :
       {"Y = LpPool <kernel_shape = [3, 3], p = 2, auto_pad = \"SAME_UPPER\"> (X)",
        "Y, Z = com.x.Op <alpha = 1.7, beta = -2.5e-3, list = [0.1, 0.3], names = [\"a\", \"b\"]> (X, , S)",
        "Y = Op (X) <a = -7, b = [1]>", "Y = ai.onnx.ml.Foo ()",
        "Y = Op <v = float[2] {1, 2.5}, w = int8[2,1] {-1, 3}> (X)",
        "Y = Op <g = sub (float x) => (float y) { y = Relu (x) }> (X)"}) {
    INFO(text);
    ::onnx::NodeProto proto;
    REQUIRE(::onnx::OnnxParser::Parse(proto, text.c_str()).IsOK());
    const Node expected = read_onnx(file_of(proto.SerializeAsString()), ".").graph.nodes.at(0);
    const Node node = node_of(text);
    CHECK(node.op_type == expected.op_type);
    CHECK(node.domain == expected.domain);
    CHECK(node.inputs == expected.inputs);
    CHECK(node.outputs == expected.outputs);
    REQUIRE(node.attributes.size() == expected.attributes.size());
    for (size_t i = 0; i < node.attributes.size(); ++i) {
      const auto& wanted = std::get<AttributeValue>(expected.attributes[i].value);
      const auto* const untyped = std::get_if<Untyped>(&node.attributes[i].value);
      const AttributeValue value = untyped != nullptr ? coerce(node.attributes[i].name, *untyped, wanted.type)
                                                      : std::get<AttributeValue>(node.attributes[i].value);
      CHECK(node.attributes[i].name == expected.attributes[i].name);
      CHECK(to_text(value.type) == to_text(wanted.type));
      CHECK(to_text(value) == to_text(wanted));
      if (const auto* const tensor = std::get_if<Tensor>(&wanted.value))
        CHECK(to_hex(std::get<Tensor>(value.value).bytes()) == to_hex(tensor->bytes()));
    }
  }
}

TEST_CASE("onnx text: a graph alone", "[onnx]") {
  const Graph graph = read_onnx_text_graph("g () => (y) <float w = {2}> { y = Relu (w) }");
  CHECK(graph.name == "g");
  CHECK(graph.outputs.at(0).name == "y");
  CHECK(graph.initializers.at(0).name == "w");
  CHECK(error_of([] { read_onnx_text_graph("g () => (y) { y = Relu (w) } h"); }) ==
        "malformed: ONNX text: the end of the graph expected at position 30: 'h'");
  CHECK(error_of([] { read_onnx_text_graph("y = Relu (w)"); }) ==
        "malformed: ONNX text: '(' expected at position 3: '= Relu (w)'");
  const std::string twice = "malformed: two initializers have the name 'w'";
  CHECK(error_of([] { read_onnx_text_graph("g () => (y) <float w = {2}, float w = {3}> { y = Relu (w) }"); }) == twice);
  CHECK(error_of([] { read_onnx_text("g (float w = {2}) => (y) <float w = {3}> { y = Relu (w) }"); }) == twice);
  std::string nested = "Relu (w)";
  for (int i = 0; i < 60; ++i) nested = "If <then_branch = g () => (y) { y = " + nested + " }> (c)";
  CHECK(error_of([&] {
          read_onnx_text("y = " + nested);
        }).starts_with("malformed: ONNX text: nested more than 50 deep at position "));
}

TEST_CASE("onnx text: a graph in place of a model has the newest opsets", "[onnx]") {
  const Case read = read_onnx_text("g (float[N,4] x) => (float[N,4] y) <float[1] w = {2}> { y = Mul (x, w) }");
  CHECK(read.graph.inputs.size() == 1);
  CHECK(read.graph.outputs.size() == 1);
  CHECK(read.graph.nodes.size() == 1);
  CHECK(read.inputs.size() == 1);
  CHECK(read.graph.opset_import.empty());
  CHECK(error_of([] { read_onnx_text("g (float[N] x) => (float[N] y) { y = Neg (x) } h"); }).find("the end") !=
        std::string::npos);
}

}  // namespace text_test
