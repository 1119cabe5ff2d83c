// SPDX-License-Identifier: Apache-2.0
// Functions that a model defines. The expected values are worked out by hand from the bodies.
#include "run/functions.h"

#include <catch2/catch.hpp>

#include "core/error.h"
#include "io/folder_testing.h"
#include "run/bind.h"
#include "run/evaluate.h"
#include "run/load_case.h"
#include "run/load_inputs.h"
#include "run/survey.h"
#include "run/write_case.h"

namespace functions_test {

using namespace opref::run;

namespace {

/// A model of opset 18 with this graph and these functions.
std::string model(const std::string& graph, const std::string& functions) {
  return "<ir_version: 10, opset_import: [\"\" : 18, \"own\" : 1]>\n" + graph + "\n" + functions;
}

std::string function(const std::string& text, const std::string& header = "opset_import: [\"\" : 18, \"own\" : 1]") {
  return "<domain: \"own\", " + header + ">\n" + text + "\n";
}

struct Result {
  Environment environment;
  std::vector<Step> steps;
};

Result evaluated(const Bound& bound, const EvaluationOptions& options = {}) {
  std::vector<std::string> warnings;
  Result result{load_inputs(bound, options, warnings), {}};
  result.steps = run_graph(bound.graph, result.environment, options);
  return result;
}

std::vector<float> floats(const std::string& text, const std::vector<std::string>& inputs,
                          const EvaluationOptions& options = {}, const std::string& name = "y") {
  const Bound bound = bind_case(read_case(text), inputs);
  const Result result = evaluated(bound, options);
  const auto values = result.environment.find(name)->second.tensor().values<float>();
  return {values.begin(), values.end()};
}

std::string error_of(const std::string& text, const std::vector<std::string>& inputs = {"x=[1,-2]:float32"},
                     const EvaluationOptions& options = {}) {
  try {
    floats(text, inputs, options);
  } catch (const Error& e) {
    return format("{}: {} [{}]", name(e.fault()), e.message(), join_text(e.places(), "; "));
  }
  return "no error";
}

const std::string kLeak = function("Leak <slope : float = 0.5> (a) => (b) { b = LeakyRelu <alpha = @slope> (a) }");
const std::vector<std::string> kX{"x=[1,-2]:float32"};

}  // namespace

TEST_CASE("functions: attributes have the call's values, else their defaults, else the operator's", "[run]") {
  using Floats = std::vector<float>;
  CHECK(floats(model("g (float[2] x) => (y) { y = own.Leak (x) }", kLeak), kX) == Floats{1, -1});
  CHECK(floats(model("g (float[2] x) => (y) { y = own.Leak <slope = 3.0> (x) }", kLeak), kX) == Floats{1, -6});
  const std::string open = function("Leak <slope> (a) => (b) { b = Elu <alpha = @slope> (a) }");
  CHECK(floats(model("g (float[2] x) => (y) { y = own.Leak (x) }", open), {"x=[1,0]:float32"}) == Floats{1, 0});
  const std::string needed = function("Pick <at> (a) => (b) { k = Constant <value_int = @at> () b = Gather (a, k) }");
  CHECK(floats(model("g (float[2] x) => (y) { y = own.Pick <at = 1> (x) }", needed), kX) == Floats{-2});
  CHECK(error_of(model("g (float[2] x) => (y) { y = own.Pick (x) }", needed)).find("Constant") != std::string::npos);
}

TEST_CASE("functions: what a body refuses is an error, whatever the order of the inputs", "[run]") {
  const std::string add = function("Both (a, c) => (b) { b = Add (a, c) }");
  const std::string refused = error_of(model("g (float[2] x, float[3] z) => (y) { y = own.Both (x, z) }", add),
                                       {"x=[1,-2]:float32", "z=[1,2,3]:float32"});
  CHECK(refused.find("do not broadcast") != std::string::npos);
}

TEST_CASE("functions: one node takes two attributes, and two nodes the same one", "[run]") {
  using Floats = std::vector<float>;
  const std::string line =
      function("Line <slope, base : float = 0.25> (a) => (b) { b = HardSigmoid <alpha = @slope, beta = @base> (a) }");
  CHECK(floats(model("g (float[2] x) => (y) { y = own.Line <slope = 0.25, base = 0.5> (x) }", line), kX) ==
        Floats{0.75, 0});
  CHECK(floats(model("g (float[2] x) => (y) { y = own.Line <base = 0.5, slope = 0.25> (x) }", line), kX) ==
        Floats{0.75, 0});
  CHECK(floats(model("g (float[2] x) => (y) { y = own.Line <slope = -0.125> (x) }", line), kX) == Floats{0.125, 0.5});
  const std::string twice =
      function("Twice <s> (a) => (b) { c = LeakyRelu <alpha = @s> (a) b = LeakyRelu <alpha = @s> (c) }");
  CHECK(floats(model("g (float[2] x) => (y) { y = own.Twice <s = 0.5> (x) }", twice), kX) == Floats{1, -0.5});
}

TEST_CASE("functions: types alone are told of what is inside them, too", "[run]") {
  const std::string functions =
      function("Outer (a) => (b) { c = Neg (a) d = own.Inner (c) b = Abs (d) }") +
      function("Inner (a) => (b) { n = Shape (a) e = Expand (a, n) b = Unsqueeze <axes = [0]> (e) }",
               "opset_import: [\"\" : 11]");
  const Bound bound = bind_case(read_case(model("g (float[2] x) => (y) { y = own.Outer (x) }", functions)));
  Environment environment{{"x", Input{"x", TensorType{DType::float32, {2}}}}};
  std::vector<Step> steps = infer(bound.graph, environment, {.readings = {}, .tell_bodies = true});
  REQUIRE(steps.size() == 1);
  REQUIRE(steps[0].body.size() == 3);
  CHECK(steps[0].body[0].call.title() == "Neg-13");
  REQUIRE(steps[0].body[1].body.size() == 3);
  CHECK(steps[0].body[1].body[2].call.title() == "Unsqueeze-11");
  CHECK(steps[0].body[1].body[2].types[0] == ValueType(DType::float32, Dims{1, 2}));
  CHECK(steps[0].types[0] == ValueType(DType::float32, Dims{1, 2}));
  environment.erase("y");
  CHECK(infer(bound.graph, environment, {})[0].body.empty());
}

TEST_CASE("functions: the origin of a value is the node inside that gave it", "[run]") {
  const auto origin = [](const std::string& text, const std::vector<std::string>& inputs) {
    const Bound bound = bind_case(read_case(text), inputs);
    std::vector<std::string> warnings;
    Environment environment = load_inputs(bound, {}, warnings);
    const Call call = resolve_node(bound.graph, bound.graph.nodes[0], environment, {});
    return origin_of(call, call.op().output_types(call), 0);
  };
  const auto of_function = origin(model("g (float[2] x) => (y) { y = own.Leak (x) }", kLeak), kX);
  REQUIRE(of_function);
  CHECK(of_function->output == "b");
  CHECK(of_function->graph.nodes[0].op_type == "LeakyRelu");
  CHECK(value_of(of_function->environment, "a").tensor()->values<float>()[1] == -2);
  const std::string branches =
      "g (float[2] x, bool c) => (y) { y = If <then_branch = t () => (p) { p = Neg (x) }, "
      "else_branch = e () => (q) { r = Exp (x) q = Abs (r) }> (c) }";
  const auto of_branch = origin(model(branches, ""), {"x=[1,-2]:float32", "c=false:bool"});
  REQUIRE(of_branch);
  CHECK(of_branch->output == "q");
  CHECK(value_of(of_branch->environment, "x").tensor()->values<float>()[1] == -2);
  const std::string loop =
      "g (float[2] x, int64 n) => (y) { y = Loop <body = b (int64 i, bool c, float[2] v) => (d, w) "
      "{ d = Identity (c) w = Add (v, v) }> (n, , x) }";
  const auto of_loop = origin(model(loop, ""), {"x=[1,-2]:float32", "n=3:int64"});
  REQUIRE(of_loop);
  CHECK(of_loop->output == "w");
  CHECK(value_of(of_loop->environment, "v").tensor()->values<float>()[0] == 4);
  CHECK(value_of(of_loop->environment, "i").tensor()->values<std::int64_t>()[0] == 2);
  CHECK_FALSE(origin(model(loop, ""), {"x=[1,-2]:float32", "n=0:int64"}));
  CHECK_FALSE(origin(model("g (float[2] x) => (y) { y = Neg (x) }", ""), kX));
}

TEST_CASE("functions: a reference in a subgraph, and through functions that functions call", "[run]") {
  const std::string text = model(
      "g (float[2] x, bool c) => (y) { y = own.Outer <factor = 4.0> (x, c) }",
      function("Outer <factor> (a, c) => (b) { b = If <then_branch = t () => (p) { p = own.Times <by = @factor> (a) }, "
               "else_branch = e () => (q) { q = Identity (a) }> (c) }") +
          function("Times <by> (a) => (b) { k = Constant <value_float = @by> () b = Mul (a, k) }"));
  CHECK(floats(text, {"x=[1,-2]:float32", "c=true:bool"}) == std::vector<float>{4, -8});
  CHECK(floats(text, {"x=[1,-2]:float32", "c=false:bool"}) == std::vector<float>{1, -2});
}

TEST_CASE("functions: overloads are functions of their own", "[run]") {
  const std::string text =
      model("g (float[2] x) => (y) { u = own.F (x) v = own.F:more (x) y = Sub (v, u) }",
            function("F (a) => (b) { b = Identity (a) }") +
                function("F (a) => (b) { b = Add (a, a) }", "overload: \"more\", opset_import: [\"\" : 18]"));
  CHECK(floats(text, kX) == std::vector<float>{1, -2});
  CHECK(error_of(model("g (float[2] x) => (y) { y = own.F:less (x) }", function("F (a) => (b) { b = Neg (a) }"))) ==
        "unsupported: 'F' of domain 'own', overload 'less', is neither a known operator nor a function of the model, "
        "which has own.F [in F]");
}

// Softmax-11 takes [1,2,2] as a row of four, Softmax-13 each pair.
TEST_CASE("functions: nodes are of the opset that the function imports", "[run]") {
  const auto text = [](int opset) {
    return model("g (float[1,2,2] x) => (y) { y = own.Soft (x) }",
                 function("Soft (a) => (b) { b = Softmax (a) }", format("opset_import: [\"\" : {}]", opset)));
  };
  const std::vector<std::string> zeros{"x=[[[0,0],[0,0]]]:float32"};
  CHECK(floats(text(12), zeros) == std::vector<float>(4, 0.25F));
  CHECK(floats(text(13), zeros) == std::vector<float>(4, 0.5F));
  const Bound bound = bind_case(read_case(text(12)), zeros);
  const Result result = evaluated(bound);
  REQUIRE(result.steps.at(0).notes.size() == 1);
  CHECK(result.steps[0].notes[0].text ==
        "the function imports opset 12 of ai.onnx, the model 18, which has another version of Softmax");
  CHECK(evaluated(bind_case(read_case(text(17)), zeros)).steps.at(0).notes.empty());
}

TEST_CASE("functions: omitted inputs are omitted inside", "[run]") {
  const std::string clip = function("Bound (a, low, high) => (b) { b = Clip (a, low, high) }");
  const auto with = [&](const std::string& inputs) {
    return floats(model("g (float[2] x, float one) => (y) { y = own.Bound (" + inputs + ") }", clip),
                  {"x=[3,-2]:float32", "one=1:float32"});
  };
  CHECK(with("x") == std::vector<float>{3, -2});
  CHECK(with("x, one") == std::vector<float>{3, 1});
  CHECK(with("x, , one") == std::vector<float>{1, -2});
}

TEST_CASE("functions: names inside are private", "[run]") {
  // y and x are names of the graph too; each call has its own.
  const std::string text = model("g (float[2] x) => (y, z) { z = own.F (x) y = own.F (z) }",
                                 function("F (y) => (x) { z = Add (y, y) x = Neg (z) }"));
  CHECK(floats(text, kX) == std::vector<float>{4, -8});
  CHECK(error_of(model("g (float[2] x) => (y) { y = own.F (x) }", function("F (a) => (b) { b = Add (a, x) }"))) ==
        "malformed: 'x' is given neither before this node nor around its graph [in Add; in the function own.F]");
}

TEST_CASE("functions: called from a loop's body, and one that has a loop", "[run]") {
  const std::string text = model(
      "g (float[2] x, int64 n) => (y) { y = Loop <body = b (int64 i, bool c, float[2] v) => (bool d, float[2] w) "
      "{ d = Identity (c) w = own.Twice (v) }> (n, , x) }",
      function("Twice (a) => (b) { two = Constant <value_int = 2> () zero = Sub (a, a) b = Loop <body = l (int64 "
               "j, bool c, float[2] s) => (bool d, float[2] t) { d = Identity (c) t = Add (s, a) }> "
               "(two, , zero) }"));
  CHECK(floats(text, {"x=[1,-2]:float32", "n=3:int64"}) == std::vector<float>{8, -16});
}

TEST_CASE("functions: types are inferred through them, shapes that values decide too", "[run]") {
  const std::string text =
      model("g (float[2,3] x) => (y) { s = Constant <value_ints = [3, 2]> () y = own.Shaped (x, s) }",
            function("Shaped (a, s) => (b) { o = Constant <value_ints = [-1]> () t = Identity (s) c = Reshape (a, t) "
                     "b = Flatten <axis = 2> (c) }"));
  const Bound bound = bind_case(read_case(text));
  std::vector<std::string> warnings;
  Environment environment = load_inputs(bound, {}, warnings);
  const std::vector<SurveyedNode> nodes = survey(bound.graph, environment, {});
  REQUIRE(nodes.at(1).step);
  CHECK(to_text(nodes[1].step->types.at(0)) == "float32[6,1]");
}

TEST_CASE("functions: one with an operator's name comes first, unless the reading says otherwise", "[run]") {
  const std::string text =
      "<ir_version: 8, opset_import: [\"\" : 18]> g (float[2] x) => (y) { y = Neg (x) }\n"
      "<domain: \"ai.onnx\", opset_import: [\"\" : 18]> Neg (a) => (b) { b = Add (a, a) }";
  CHECK(floats(text, kX) == std::vector<float>{2, -4});
  EvaluationOptions options;
  options.readings.emplace("function.precedence", "operator");
  CHECK(floats(text, kX, options) == std::vector<float>{-1, 2});
  options.readings["function.precedence"] = "operators";
  CHECK(error_of(text, kX, options) ==
        "usage: 'operators' is not an alternative of the reading 'function.precedence' (function, operator), did you "
        "mean 'operator'? []");
}

TEST_CASE("functions: what is refused", "[run]") {
  const auto call = [](const std::string& node, const std::string& functions) {
    return error_of(model("g (float[2] x) => (y) { y = " + node + " }", functions));
  };
  CHECK(call("own.F (x)", function("F (a) => (b) { b = own.G (a) }") + function("G (a) => (b) { b = own.F (a) }")) ==
        "invalid: the function own.F calls itself [in F; in the function own.G; in G; in the function own.F; in F]");
  CHECK(call("own.Leek (x)", kLeak) ==
        "unsupported: 'Leek' of domain 'own' is neither a known operator nor a function of the model, which has "
        "own.Leak [in Leek]");
  CHECK(call("own.Leak (x, x)", kLeak) == "invalid: Leak-1 takes 0 to 1 input, but the node has 2 [in Leak]");
  CHECK(call("own.Leak <slop = 1.0> (x)", kLeak) ==
        "invalid: 'slop' is not an attribute of Leak-1, did you mean 'slope'? [in Leak]");
  CHECK(call("own.Leak <slope = \"s\"> (x)", kLeak) == "invalid: attribute 'slope': 's' is not a number [in Leak]");
  CHECK(call("own.F (x)", function("F (a) => (b) { b = Elu <alpha = @c> (a) }")) ==
        "malformed: attribute 'alpha' of node Elu stands for 'c', which is no attribute of the function [in the "
        "function own.F]");
  CHECK(call("own.F (x)", function("F <c, c> (a) => (b) { b = Elu (a) }")) ==
        "malformed: the function has two attributes of the name 'c' [in the function own.F]");
  CHECK(call("own.Leak (x)", kLeak + kLeak) == "malformed: two functions are own.Leak []");
  CHECK(call("own.F (x)", function("F (a) => (b) { c = Elu (a) }")) ==
        "malformed: no node gives the graph's output 'b' [in the function own.F]");
  CHECK(call("Elu <alpha = @c> (x)", kLeak) ==
        "invalid: attribute 'alpha' stands for the attribute 'c' of a function, but the node is in none [in Elu-6]");
  CHECK(call("own.F (x)", function("F (a) => (b) { b = MatMul (a, c) c = Neg (a) }")) ==
        "malformed: 'c' is given neither before this node nor around its graph [in MatMul; in the function own.F]");
  CHECK(error_of(model("g (float[2] x) => (y) { [n] y = own.F (x) }",
                       function("F (a) => (b) { b = Concat <axis = 5> (a) }"))) ==
        "invalid: axis is 5, but must be from -1 to 0: the rank is 1 [in Concat-13; in the function own.F; in node 'n' "
        "(F)]");
}

TEST_CASE("functions: a model that is written for a backend has them", "[run]") {
  const opref::io::TemporaryFolder folder;
  const std::string text =
      model("g (float[2] x) => (float[2] y) { u = own.Leak <slope = 3.0> (x) v = own.F:two (x) y = Add (u, v) }",
            kLeak + function("F <p, q = 2> (a) => (b) { b = own.Leak <slope = @p> (a) }",
                             "overload: \"two\", opset_import: [\"own\" : 1]"));
  const CaseFiles files = write_case(bind_case(read_case(text), kX), {}, folder.path());
  const Bound again = bind_case(read_handed_case(files.model.string(), files.inputs));
  const Result result = evaluated(again);
  const auto values = result.environment.find("y")->second.tensor().values<float>();
  CHECK(std::vector<float>(values.begin(), values.end()) == std::vector<float>{2, -7});
  const auto& functions = *again.graph.opset_import.functions;
  REQUIRE(functions.size() == 2);
  CHECK(to_text(functions[1]) == "own.F (overload 'two')");
  CHECK(functions[1].attributes == std::vector<std::string>{"p"});
  CHECK(functions[1].body.nodes.at(0).references.at(0).type == AttributeType::FLOAT);
}

}  // namespace functions_test
