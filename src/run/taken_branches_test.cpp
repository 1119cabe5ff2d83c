// SPDX-License-Identifier: Apache-2.0
#include "run/taken_branches.h"

#include <set>

#include <catch2/catch.hpp>

#include "core/error.h"
#include "run/load_case.h"
#include "run/load_inputs.h"

namespace taken_branches_test {

using namespace opref::run;

namespace {

Bound taken(const std::string& inputs, const std::string& nodes, const std::vector<std::string>& arguments,
            std::vector<std::string>& said) {
  Bound bound = bind_case(
      read_case(R"(<ir_version: 8, opset_import: ["" : 17]> g ()" + inputs + ") => (float[N] y) " + nodes), arguments);
  said = take_branches(bound);
  return bound;
}

std::string operators(const Bound& bound) {
  std::vector<std::string> names;
  for (const Node& node : bound.graph.nodes) names.push_back(node.op_type);
  return join_text(names, " ");
}

float result(const Bound& bound) {
  std::vector<std::string> warnings;
  Environment environment = load_inputs(bound, bound.options, warnings);
  run_graph(bound.graph, environment, bound.options);
  return environment.find("y")->second.tensor().values<float>()[0];
}

const std::string kOfRank = R"({ s = Shape (x)  n = Size (s)  two = Constant <value = int64 {2}> ()  c = Equal (n, two)
  y = If <then_branch = t () => (float[N] o) <float k = {3}> { h = Mul (x, k)  o = ReduceSum <keepdims = 0> (h) },
          else_branch = e () => (float[N] o) { o = Neg (x) }> (c) })";

}  // namespace

TEST_CASE("A condition that a shape decides", "[run]") {
  std::vector<std::string> said;
  const Bound two = taken("float[N,M] x", kOfRank, {"x=[[1,2]]"}, said);
  CHECK(operators(two) == "Shape Size Constant Equal Mul ReduceSum");
  CHECK(said == std::vector<std::string>{
                    "the condition of the If that gives 'y' is true: 2 nodes of its graph stand in its place"});
  CHECK(result(two) == 9);
  CHECK(operators(taken("float[N] x", kOfRank, {"x=[5]"}, said)) == "Shape Size Constant Equal Neg");
}

TEST_CASE("A condition that only values decide stays", "[run]") {
  const std::string nodes =
      R"({ m = ReduceMax <keepdims = 0> (x)  z = Constant <value = float {0}> ()  c = Greater (m, z)
    y = If <then_branch = t () => (float[N] o) { o = Exp (x) }, else_branch = e () => (float[N] o) { o = Neg (x) }> (c) })";
  std::vector<std::string> said;
  CHECK(operators(taken("float[N] x", nodes, {"x=float32[5000]"}, said)) == "ReduceMax Constant Greater If");
  CHECK(said.empty());
  CHECK(operators(taken("float[N] x", nodes, {"x=[1]"}, said)) == "ReduceMax Constant Greater Exp");
}

TEST_CASE("Branches inside branches, and what a branch hands on", "[run]") {
  std::vector<std::string> said;
  const Bound bound = taken("float[N] x, bool c", R"({ h = Neg (x)
    y = If <then_branch = t () => (float[N] o) { h2 = Exp (h)
              o = If <then_branch = u () => (float[N] p) { p = Identity (h2) }, else_branch = v () => (float[N] p) { p = Abs (h2) }> (c) },
            else_branch = e () => (float[N] h3) { h3 = Abs (h) }> (c) })",
                            {"x=[0]", "c=true"}, said);
  CHECK(operators(bound) == "Neg Exp Identity");
  CHECK(said.size() == 2);
  CHECK(result(bound) == 1);
}

TEST_CASE("Names of a branch that others have too become new ones", "[run]") {
  std::vector<std::string> said;
  const Bound bound = taken("float[N] x, bool c", R"({
    a = If <then_branch = t () => (float[N] o) { k = Exp (x) o = Neg (k) }, else_branch = e () => (float[N] o) { o = Neg (x) }> (c)
    b = If <then_branch = t () => (float[N] o) { k = Abs (x) o = Add (k, a) }, else_branch = e () => (float[N] o) { o = Neg (x) }> (c)
    k = Neg (b)
    y = Add (k, b) })",
                            {"x=[0]", "c=true"}, said);
  CHECK(operators(bound) == "Exp Neg Abs Add Neg Add");
  CHECK(result(bound) == 0);
  std::set<std::string> outputs;
  for (const Node& node : bound.graph.nodes) CHECK(outputs.insert(node.outputs.front()).second);
}

}  // namespace taken_branches_test
