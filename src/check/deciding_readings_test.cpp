// SPDX-License-Identifier: Apache-2.0
// A reading is told where another one would fail by the rule.
#include "check/deciding_readings.h"

#include <catch2/catch.hpp>

#include "run/load_case.h"
#include "run/load_inputs.h"

namespace deciding_readings_test {

using namespace opref::check;

namespace {

/// The names of the readings that decide a node's outputs by this choice.
std::vector<std::string> deciding(const std::string& node, const std::vector<std::string>& bindings,
                                  const std::vector<std::string>& attributes, const ToleranceChoice& choice) {
  Bound bound = bind_case(read_case(node), bindings, {.attributes = attributes, .nodes = {}, .opset = {}});
  std::vector<std::string> warnings;
  Environment environment = load_inputs(bound, bound.options, warnings);
  std::vector<Step> steps = run_graph(bound.graph, environment, bound.options);
  keep_deciding_readings(steps, environment, *bound.read, choice);
  std::vector<std::string> names;
  for (const ReadingReport& report : steps.front().readings) names.emplace_back(report.name);
  return names;
}

}  // namespace

TEST_CASE("A reading that moves the last digits decides by their bits alone", "[check]") {
  // The root of 1/sqrt(3), rounded or not, moves scores by an ULP.
  const std::vector<std::string> inputs = {"Q=[[[[1,2,0.5],[3,4,0.7]]]]:float32", "K=[[[[1,2,0.1],[3,4,0.3]]]]:float32",
                                           "V=[[[[1,2,0.9],[3,5,0.2]]]]:float32"};
  const auto by = [&](const ToleranceChoice& choice) { return deciding("Attention", inputs, {}, choice); };
  const Tolerance exact{}, close{.rule = Tolerance::Rule::relative, .rtol = 1e-3, .atol = 1e-7};
  CHECK(by({exact, false}) == std::vector<std::string>{"attention.scale"});
  CHECK(by({close, false}).empty());
  CHECK(by({std::nullopt, false, ToleranceChoice::Judged::backend}).empty());
}

TEST_CASE("A reading that gives other values or another shape decides by any rule", "[check]") {
  const Tolerance wide{.rule = Tolerance::Rule::relative, .rtol = 1, .atol = 100};
  const std::vector<std::string> window = {"kernel_shape=2"};
  CHECK(deciding("LpPool", {"X=[[[1,NaN]]]:float32"}, window, {wide, false}) ==
        std::vector<std::string>{"lp_pool.nan"});
}

}  // namespace deciding_readings_test
