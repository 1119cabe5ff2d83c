// SPDX-License-Identifier: Apache-2.0
#include "run/memory.h"
#include "run/survey.h"

#include <catch2/catch.hpp>

#include "core/error.h"
#include "io/onnx/onnx.h"
#include "run/bind.h"
#include "run/load_case.h"
#include "run/load_inputs.h"

using namespace opref::run;

namespace {

std::string error_of(const std::string& node, const std::string& input, std::int64_t most, int threads = 1) {
  const std::vector<std::string> inputs{input};
  const Bound bound = bind_case(read_case(node), inputs);
  std::vector<std::string> warnings;
  Environment environment = load_inputs(bound, {}, warnings);
  try {
    run_graph(bound.graph, environment, {.readings = {}, .max_bytes = most, .threads = threads});
  } catch (const Error& error) {
    return error.message();
  }
  return "";
}

}  // namespace

TEST_CASE("memory: outputs that the node does not name at its end are not counted", "[run]") {
  const auto error = [](const std::string& outputs, std::int64_t most) {
    return error_of(outputs + " = MaxPool <kernel_shape = [1]> (X)", "X=uint8[1,1,1000]:integers", most);
  };
  // X 1000 bytes, Y 1000, Indices 8000; scratch as much as they are.
  CHECK(error("Y", 4000).empty());
  CHECK(error("Y", 3999) ==
        "the output uint8[1,1,1000] needs 1000 bytes, with the inputs and scratch memory 4000 bytes, but the limit is "
        "3999");
  CHECK(error("Y, I", 20000).empty());
  CHECK(error("Y, I", 19999) ==
        "the output uint8[1,1,1000], int64[1,1,1000] needs 9000 bytes, with the inputs and scratch memory 20000 bytes, "
        "but the limit is 19999");
  CHECK(error("Y, \"\"", 4000).empty());
}

TEST_CASE("memory: scratch counts for threads that have an element to compute", "[run]") {
  const auto error = [](std::int64_t most, int threads) {
    return error_of("Y = MaxPool <kernel_shape = [1]> (X)", "X=uint8[1,1,3]:integers", most, threads);
  };
  CHECK(error(6 + 2 * 6, 2).empty());
  CHECK(error(6 + 2 * 6 - 1, 2).find("scratch memory 18 bytes") != std::string::npos);
  CHECK(error(6 + 3 * 6, 1024).empty());
  CHECK(error(6 + 3 * 6 - 1, 1024).find("scratch memory 24 bytes") != std::string::npos);
}

TEST_CASE("memory: a long chain of nodes takes time in proportion to its length", "[run]") {
  constexpr int kNodes = 100'000;  // adding up all values before each would take minutes
  std::string text = "<ir_version: 8, opset_import: [\"\" : 13]> g (float[2] x0) => (float[2] x100000) {\n";
  for (int i = 0; i < kNodes; ++i) text += format("x{} = Transpose (x{})\n", i + 1, i);
  const std::vector<std::string> inputs{"x0=[1,2]:float32"};
  const Bound bound = bind_case(read_onnx_text(text + "}"), inputs);
  std::vector<std::string> warnings;
  Environment environment = load_inputs(bound, {}, warnings);
  run_graph(bound.graph, environment, {.readings = {}, .max_bytes = 8 * (kNodes + 1) * 2});
  CHECK(HeldBytes(environment).total() == 8 * (kNodes + 1));
  CHECK_THROWS_AS(run_graph(bound.graph, environment, {.readings = {}, .max_bytes = 8 * (kNodes + 1) * 2 - 1}), Error);
  environment = load_inputs(bound, {}, warnings);
  CHECK(survey(bound.graph, environment, {}).size() == kNodes);
}
