// SPDX-License-Identifier: Apache-2.0
// A case looks each of its operators up once, and each evaluation of a node resolves it once.
#include <catch2/catch.hpp>

#include "check/bisect.h"
#include "check/judge.h"
#include "io/folder_testing.h"
#include "ops/operators.h"
#include "run/load_case.h"
#include "run/load_inputs.h"
#include "run/write_outputs.h"
#include "schema/resolve.h"

namespace resolved_test {

using namespace opref::check;

namespace {

/// What `body` takes: operators that it looks up, nodes that it resolves.
template <class Body>
std::pair<std::int64_t, std::int64_t> taken_by(const Body& body) {
  const std::int64_t operators = operators_looked_up(), nodes = nodes_resolved();
  body();
  return {operators_looked_up() - operators, nodes_resolved() - nodes};
}

void run(const std::string& node, const std::vector<std::string>& arguments) {
  Bound bound = bind_case(read_case(node), arguments);
  std::vector<std::string> warnings;
  Environment environment = load_inputs(bound, bound.options, warnings);
  with_accepted_outputs(bound, environment, nullptr,
                        [&] { return run_graph(bound.graph, environment, bound.options); });
}

const std::string kTwoNodes = R"(g (float[2] x) => (float[2] y) { h = Neg (x)  y = Abs (h) })";
const std::vector<std::string> kGiven = {"x=[-1,2]"};
using Counts = std::pair<std::int64_t, std::int64_t>;

}  // namespace

TEST_CASE("run: one look-up for each operator, one resolve for each node", "[run]") {
  CHECK(taken_by([] { run(kTwoNodes, kGiven); }) == Counts(2, 2));
  CHECK(taken_by([] { run("g (float[2] x) => (float[2] y) { a = Neg (x)  b = Neg (a)  y = Neg (b) }", kGiven); }) ==
        Counts(1, 3));
  // A bare operator with optional outputs, an input of an open type, an attribute of the command line.
  CHECK(taken_by([] { run("LayerNormalization", {"X=[[1,2],[3,4]]:float32", "Scale=[1,1]"}); }) == Counts(1, 1));
  // The nodes of a loop's body are resolved for its types, then in each of the two iterations.
  CHECK(taken_by([] {
          run("g (float[2] x) => (float[2] y) { n = Constant <value_int = 2> () c = Constant <value_ints = [1]> () "
              "t = Cast <to = 9> (c) s = Squeeze (t) y = Loop (n, s, x) <body = b (i, d, v) => (e, w) "
              "{ e = Identity (d) w = Neg (v) }> }",
              kGiven);
        }).first == 6);
}

TEST_CASE("check: one look-up and one resolve of a case that passes", "[check]") {
  const TemporaryFolder folder;
  const std::string path = folder.write("case.json", R"({"op_type": "Neg", "opset": 13, "source": "by hand",
      "inputs": {"X": {"dtype": "float32", "data": [1, -2]}}, "expect": {"Y": {"data": [-1, 2]}}})");
  CHECK(taken_by([&] { CHECK(judge({"case", path}, {}).verdict == Verdict::pass); }) == Counts(1, 1));
}

TEST_CASE("bisect: one look-up for each operator, two resolves for each node: in the model, and alone", "[check]") {
  const TemporaryFolder folder;
  const auto write = [&](const std::string& name, std::vector<float> values) {
    write_value((folder / (name + ".npy")).string(), name, Tensor::of<float>(DType::float32, Dims{2}, values),
                Link::replaced);
  };
  write("h", {1, -2});
  write("y", {1, 2});
  CHECK(taken_by([&] {
          const auto whole = std::make_shared<const ReadyCase>(ReadyCase{bind_case(read_case(kTwoNodes), kGiven)});
          const ModelValues values =
              ModelValues::in_folder(folder.path(), whole->bound.graph, computed_names(whole->bound.graph));
          CHECK(Bisector(whole, values, nullptr, {}).judge().exit_code() == 0);
        }) == Counts(2, 4));
}

}  // namespace resolved_test
