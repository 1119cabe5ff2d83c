// SPDX-License-Identifier: Apache-2.0
// Graphs of which only a part is evaluated, or known.
#include <catch2/catch.hpp>

#include "core/error.h"
#include "io/onnx/testing.h"
#include "run/load_case.h"
#include "run/load_inputs.h"
#include "run/part_of_graph.h"
#include "run/remedies.h"
#include "run/survey.h"
#include "run/version.h"
#include "schema/remedies.h"

namespace models_test {

using namespace opref::run;

namespace {

/// t = a + a; u = Mystery(t), which nobody knows; y = the sum of u; z = a + b.
const std::string kModel =
    R"(<ir_version: 8, opset_import: ["" : 13]> g (float[2] a, float[2] b) => (float[1] y, float[2] z) <float[2] u> {
  t = Add (a, a)
  u = Mystery (t)
  y = ReduceSum (u)
  z = Add (a, b)
})";

Bound bound(const std::string& model, const std::vector<std::string>& arguments, const NodeOptions& options = {}) {
  return bind_case(read_case(model), arguments, options);
}

NodeOptions nodes(const std::vector<std::string>& names) { return {.attributes = {}, .nodes = names, .opset = {}}; }

std::string outputs_of(const Graph& graph) {
  std::vector<std::string> names;
  for (const Node& node : graph.nodes) names.push_back(join_text(node.outputs, "+"));
  return join_text(names, " ");
}

std::string names_of(const std::vector<ValueInfo>& infos) {
  std::vector<std::string> names;
  for (const ValueInfo& info : infos) names.push_back(info.name);
  return join_text(names, " ");
}

Environment run_all(const Bound& bound) {
  std::vector<std::string> warnings;
  Environment environment = load_inputs(bound, bound.options, warnings);
  run_graph(bound.graph, environment, bound.options);
  return environment;
}

std::vector<float> floats(const Environment& environment, std::string_view name) {
  const auto values = environment.find(name)->second.tensor().values<float>();
  return {values.begin(), values.end()};
}

std::string replaced(std::string text, std::string_view part, std::string_view by) {
  return text.replace(text.find(part), part.size(), by);
}

}  // namespace

TEST_CASE("only what is wanted is evaluated, and need be known", "[run]") {
  Bound all = bound(kModel, {"a=[1,2]", "b=[10,20]"});
  keep_needed(all, {});
  CHECK(outputs_of(all.graph) == "t u y z");
  CHECK(error_of([&] { require_known_or_pick(all.graph); }).starts_with("unsupported: "));
  Bound one = bound(kModel, {"a=[1,2]", "b=[10,20]"});
  keep_needed(one, std::vector<std::string>{"z"});
  CHECK(outputs_of(one.graph) == "z");
  CHECK(floats(run_all(one), "z") == std::vector<float>{11, 22});
  Bound inner = bound(kModel, {"a=[1,2]"});
  keep_needed(inner, std::vector<std::string>{"t"});
  CHECK(floats(run_all(inner), "t") == std::vector<float>{2, 4});
  // Nobody asks for what the last node gives.
  Bound dead = bound(replaced(kModel, "float[1] y, ", ""), {});
  keep_needed(dead, {});
  CHECK(outputs_of(dead.graph) == "z");
}

TEST_CASE("a tensor that is given by name cuts the graph there", "[run]") {
  Bound cut = bound(kModel, {"a=[1,2]", "b=[10,20]", "u=[5,6]"});
  CHECK(outputs_of(cut.graph) == "t y z");
  keep_needed(cut, {});
  CHECK(outputs_of(cut.graph) == "y z");
  CHECK(floats(run_all(cut), "y") == std::vector<float>{11});
  CHECK(error_of([&] { bound(kModel, {"q=[1]"}); }) == "usage: 'q' is not an input here (a, b)");
  // Of two outputs one may be given: the other is still computed.
  const std::string pool =
      R"(<ir_version: 8, opset_import: ["" : 12]> g (float[1,1,4] x) => (float[1,1,2] y, int64[1,1,2] j) {
  p, i = MaxPool <kernel_shape = [2], strides = [2]> (x)
  j = Add (i, i)
  y = LpPool <kernel_shape = [1]> (p)
})";
  const Bound half = bound(replaced(pool, ": 12", ": 14"), {"x=[[[1,2,4,3]]]", "p=[[[7,8]]]:float32"});
  const Environment values = run_all(half);
  CHECK(floats(values, "p") == std::vector<float>{7, 8});
  CHECK(floats(values, "y") == std::vector<float>{7, 8});
  CHECK(values.find("j")->second.tensor().values<std::int64_t>()[0] == 2);
}

TEST_CASE("several nodes are picked: each with what is given or another one of them computes", "[run]") {
  const Bound two = bound(kModel, {"u=[3,4]", "a=[1,2]", "b=[0,1]"}, nodes({"z", "y"}));
  CHECK(outputs_of(two.graph) == "y z");
  CHECK(names_of(two.graph.inputs) == "u a b");
  CHECK(names_of(two.graph.outputs) == "y z");
  const Environment values = run_all(two);
  CHECK(floats(values, "y") == std::vector<float>{7});
  CHECK(floats(values, "z") == std::vector<float>{1, 3});
  const Bound chain = bound(replaced(kModel, "Mystery (t)", "Add (t, b)"), {"a=[1,2]", "b=[0,1]"}, nodes({"t", "u"}));
  CHECK(names_of(chain.graph.inputs) == "a b");
  CHECK(names_of(chain.graph.outputs) == "u");
  CHECK(floats(run_all(chain), "u") == std::vector<float>{2, 5});
  CHECK(error_of([&] {
          bound(kModel, {}, nodes({"t", "v"}));
        }).starts_with("usage: no node has the name or an output"));
}

TEST_CASE("a node inside a subgraph is not one of the model, but its If, Loop or Scan is", "[run]") {
  const std::string model =
      "<ir_version: 8, opset_import: [\"\": 16]> m (bool c, float[1] x) => (float[1] y) "
      "{ y = If (c) <then_branch = t () => (a) { a = Neg (x) }, "
      "else_branch = e () => (b) { b = If (c) <then_branch = t2 () => (d) { d = Abs (x) }, "
      "else_branch = e2 () => (f) { f = Relu (x) }> }> }";
  for (const char* inner : {"a", "b", "d"})
    CHECK(error_of([&] { bound(model, {}, nodes({inner})); }) ==
          format("usage: '{}' is inside a subgraph of 'y' (If), which opref takes as one node: name that", inner));
}

TEST_CASE("a survey lists all nodes; types behind one that is not known are those that are declared", "[run]") {
  const auto surveyed = [](const std::string& model) {
    const Bound all = bound(model, {});
    std::vector<std::string> warnings;
    Environment environment = load_inputs(all, all.options, warnings);
    std::vector<std::string> lines;
    for (const SurveyedNode& seen : survey(all.graph, environment, all.options))
      lines.push_back(format("{}: {}", seen.node->outputs.front(),
                             seen.step      ? to_text(seen.step->types.front())
                             : seen.version ? seen.why
                                            : "not known: " + seen.why));
    return join_text(lines, "; ");
  };
  const std::string unknown = "u: not known: operator 'Mystery' is not known";
  CHECK(surveyed(kModel) == "t: float32[2]; " + unknown + "; y: float32[1]; z: float32[2]");
  CHECK(surveyed(replaced(kModel, "<float[2] u>", "")) ==
        "t: float32[2]; " + unknown + "; y: the type of 'u' is not known; z: float32[2]");
  CHECK(surveyed(replaced(kModel, "<float[2] u>", "<float[N] u>")).find("; y: ") != std::string::npos);
  // What the graph itself gets wrong stays an error.
  CHECK_THROWS_AS(surveyed(replaced(kModel, "Add (a, b)", "Add (a, b, b)")), opref::core::Error);
}

TEST_CASE("a survey goes on where values decide, and says where types end and what is in force", "[run]") {
  const std::string text = R"(<ir_version: 8, opset_import: ["" : 13]> g (float[2,3] X, int64[1] d) => (y, z) {
    c = Add (d, d)  t = ReduceSum <keepdims = 0> (X, c)  y = Add (t, t)  z = Add (X, X) })";
  const auto surveyed = [](const Bound& graph) {
    std::vector<std::string> warnings;
    Environment environment = load_inputs(graph, graph.options, warnings);
    return survey(graph.graph, environment, graph.options);
  };
  const Bound all = bound(text, {});
  const std::vector<SurveyedNode> listed = surveyed(all);
  CHECK((listed[0].step && !listed[1].step && !listed[2].step && listed[3].step));
  CHECK(listed[1].why == "ReduceSum-13 needs the values of axes, which are known only once 'c' is computed");
  CHECK(to_text(listed[1].attributes.find("keepdims")->second) == "0");
  CHECK(to_text(listed[1].attributes.find("noop_with_empty_axes")->second) == "0");
  CHECK(listed[2].why == "Add-13 needs the shape of A, which values decide");
  CHECK(where_types_end(listed).value() ==
        "the types of 2 of 4 nodes are known; the first without them is number 2, node ReduceSum: " + listed[1].why);
  const Bound given = bound(text, {"d=[0]"});
  CHECK_FALSE(where_types_end(surveyed(given)));
  // What can be given is asked for; of one node all is said as an error.
  CHECK(error_of([&] { surveyed(bound(replaced(text, "(X, c)", "(X, d)"), {})); }) ==
        "usage: ReduceSum-13 needs the values of axes");
  const std::string one = replaced(text, "c = Add (d, d)  t", "t");
  CHECK(error_of([&] { surveyed(bound(replaced(one, "(X, c)", "(X, d)"), {}, nodes({"t"}))); }) ==
        "usage: ReduceSum-13 needs the values of axes");
}

TEST_CASE("a survey knows element types behind shapes that values decide, as the page has them", "[run]") {
  const Bound all = bound(R"(<ir_version: 8, opset_import: ["" : 13, "b" : 1]> g (float[2,3] X, int64[1] d) => (b, i) {
    c = Add (d, d)  t = ReduceSum (X, c)  a = Abs (t)  n = Shape (t)  s = SequenceConstruct (t)  l = Concat <axis = 0> (a, X)
    k, i = TopK (t, c)  m = b.Mystery (t)  f = Cast <to = 1> (m)  b = Less (t, X)  z = Constant (m) })",
                          {});
  std::vector<std::string> warnings;
  Environment environment = load_inputs(all, all.options, warnings);
  survey(all.graph, environment, all.options);
  const auto type = [&](const std::string& name) {
    return environment.contains(name) ? to_text(environment.at(name).type) : "none";
  };
  for (const char* name : {"t", "a", "l", "k"}) CHECK(type(name) == "float32[decided by values]");
  CHECK(type("n") == "int64[decided by values]");
  CHECK(type("i") == "int64[decided by values]");
  CHECK(type("s") == "sequence of float32");
  CHECK(type("b") == "bool[decided by values]");
  for (const char* name : {"m", "f", "z"}) CHECK(type(name) == "none");
}

TEST_CASE("the inputs of a model that have no values are asked for at once", "[run]") {
  const Bound all = bound(R"(<ir_version: 8, opset_import: ["" : 13]> g (float[2] a, float[2] b, float[1] d) => (y) {
    c = Neg (a)  y = Add (c, b) })",
                          {"d=[1]"});
  std::vector<std::string> warnings;
  Environment environment = load_inputs(all, all.options, warnings);
  try {
    run_graph(all.graph, environment, all.options);
    FAIL("it is evaluated");
  } catch (const opref::core::Error& error) {
    CHECK(error.remedy() == kGiveValues);
    CHECK(error.way_out().argument == "a, b");
  }
}

TEST_CASE("a graph's outputs have the declared types, also where no node gives them", "[run]") {
  const std::string whole = R"(<ir_version: 9, opset_import: ["" : 20]> )";
  const auto error = [&](const std::string& graph) {
    return error_of([&] { run_all(bound(whole + graph, {"X=[1,2]"})); });
  };
  CHECK(error("g (float[2] X) => (float[2] X) {}") == "no error");
  CHECK(error("g (float[2] X) => (float[2] W) <float[2] W = {1, 2}> {}") == "no error");
  CHECK(error("g (float[2] X) => (bool[2] X) {}") ==
        "invalid: the output 'X' is declared as bool[2], but is float32[2]");
  CHECK(error("g (float[2] X) => (bool[2] Y) { Y = Add (X, X) }") ==
        "invalid: the output 'Y' is declared as bool[2], but is float32[2]");
  CHECK(error("g (float[2] X) => (float[2] Y) <int64[2] Z> { Z = Add (X, X)  Y = Neg (Z) }") ==
        "invalid: the output 'Z' is declared as int64[2], but is float32[2]");
  CHECK(error("g (float[2] X) => (float[3] Y) { Y = Add (X, X) }") == "no error");  // of a shape is warned
}

TEST_CASE("names of a graph: one for each value, and a value for each name", "[run]") {
  const std::string whole = R"(<ir_version: 9, opset_import: ["" : 20]> )";
  const auto error = [&](const std::string& graph, std::vector<std::string> arguments = {"X=[1,2]"}) {
    return error_of([&] { run_all(bound(graph, arguments)); });
  };
  CHECK(error(whole + "g (float[2] X, float[2] X) => (float[2] Y) { Y = Neg (X) }") ==
        "malformed: 'X' is given twice, the second time by an input");
  CHECK(error(whole + "g (float[2] X) => (float[2] Y) <float[2] W = {1, 2}> { W = Neg (X)  Y = Neg (W) }") ==
        "malformed: 'W' is given twice, the second time by node Neg");
  CHECK(error(whole + "g (float[2] X) => (float[2] Y) { A = Neg (B)  B = Add (A, X)  Y = Neg (B) }") ==
        "malformed: 'B' depends on itself: node Add gives it, and reads what follows from it");
  CHECK(error(whole + "g (float[2] X) => (float[2] Y) { Y = Neg (Y) }") ==
        "malformed: 'Y' depends on itself: node Neg gives it, and reads what follows from it");
  CHECK(error("B = Neg (A)  A = Exp (X)", {"X=[1,2]:float32"}) ==
        "malformed: 'A' is read before node Exp gives it: nodes stand in the order of evaluation");
  const std::string cycle =
      "malformed: the nodes form a cycle, in which each needs the value of another: no value is left to be an output";
  CHECK(error("A = Neg (B)  B = Neg (A)", {}) == cycle);
  CHECK(error("X = Neg (X)") == cycle);
  const std::string undefined = whole + "g (float[2] X) => (float[2] Y) { Z = Neg (X)  Y = Add (Z, Q) }";
  CHECK(error(undefined) == "malformed: 'Q' is neither an input of the graph nor an initializer, and no node gives it");
  try {
    run_all(bound(undefined, {"X=[1,2]"}));
  } catch (const opref::core::Error& refused) {
    CHECK(refused.places() == std::vector<std::string>{"in Add"});
  }
  CHECK(error("Y = Add (X, Q)", {"X=[1,2]:float32"}) == "usage: input 'Q' (B) has no value");  // a node, not a graph
}

TEST_CASE("the error of a node that is not known names those that can be picked", "[run]") {
  const Bound all = bound(kModel, {});
  try {
    require_known_or_pick(all.graph);
    FAIL("it is known");
  } catch (const opref::core::Error& error) {
    CHECK(error.remedy() == kPickNode);
    CHECK(error.way_out().argument == "'t', 'y', 'z'");
    CHECK(error.places() == std::vector<std::string>{"in Mystery"});
  }
}

}  // namespace models_test
