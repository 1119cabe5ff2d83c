// SPDX-License-Identifier: Apache-2.0
#include "run/fixed_names.h"

#include <catch2/catch.hpp>

#include "core/error.h"
#include "run/load_case.h"
#include "run/load_inputs.h"

namespace fixed_names_test {

using namespace opref::run;

namespace {

const std::string kHead = R"(<ir_version: 8, opset_import: ["" : 17]> g (float[1] x, bool c) => (float[1] y) )";

/// What the model gives for x = [2], c = true, once it is fixed; `changes` is what was said.
float fixed(const std::string& nodes, std::vector<std::string>& changes) {
  Case loaded = read_case(kHead + nodes);
  changes = fix_names(loaded);
  const Bound bound = bind_case(std::move(loaded), std::vector<std::string>{"x=[2]", "c=true"});
  std::vector<std::string> warnings;
  Environment environment = load_inputs(bound, bound.options, warnings);
  run_graph(bound.graph, environment, bound.options);
  return environment.find("y")->second.tensor().values<float>()[0];
}

}  // namespace

TEST_CASE("Nodes stand behind those that they read", "[run]") {
  std::vector<std::string> changes;
  CHECK(fixed("{ y = Add (h, k)  h = Neg (k)  k = Mul (x, x) }", changes) == 0);
  CHECK(changes ==
        std::vector<std::string>{"2 nodes now stand behind those whose outputs they read: node Add, node Neg"});
  CHECK(fixed("{ k = Neg (x)  y = Neg (k) }", changes) == 2);
  CHECK(changes.empty());
}

TEST_CASE("A name around a subgraph is not hidden", "[run]") {
  std::vector<std::string> changes;
  // The first h of the branch is the outer one, 4; the second is the inner one, 5.
  CHECK(fixed(R"({ h = Mul (x, x)  h_1 = Neg (x)
    y = If <then_branch = t () => (float[1] o) { one = Constant <value = float[1] {1}> () h = Add (h, one) o = Add (h, h_1) },
            else_branch = e () => (float[1] o) { o = Neg (h) }> (c) })",
              changes) == 3);
  CHECK(changes ==
        std::vector<std::string>{"'h' in then_branch of node If is now 'h_2': a tensor around the graph has its name"});
}

TEST_CASE("What reads a hidden name in a deeper graph means the inner one", "[run]") {
  std::vector<std::string> changes;
  CHECK(fixed(R"({ h = Mul (x, x)
    y = If <then_branch = t () => (float[1] o) { h = Neg (x)
              o = If <then_branch = u () => (float[1] p) { p = Neg (h) }, else_branch = v () => (float[1] p) { p = Exp (h) }> (c) },
            else_branch = e () => (float[1] o) { o = Neg (h) }> (c) })",
              changes) == 2);
  CHECK(changes.size() == 1);
}

TEST_CASE("A cycle, and a name that is given twice, stay refused", "[run]") {
  std::vector<std::string> changes;
  CHECK_THROWS_WITH(fixed("{ a = Neg (b)  b = Neg (a)  y = Neg (b) }", changes), Catch::Contains("depends on itself"));
  CHECK(changes.empty());
  CHECK_THROWS_WITH(fixed("{ a = Neg (x)  a = Exp (x)  y = Neg (a) }", changes), Catch::Contains("given twice"));
}

}  // namespace fixed_names_test
