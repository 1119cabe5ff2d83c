// SPDX-License-Identifier: Apache-2.0
// A node of float32 inputs that is judged by the bound.
#pragma once

#include <string>
#include <vector>

#include "check/expected.h"
#include "exact/oracle_testing.h"
#include "run/load_case.h"
#include "run/load_inputs.h"

namespace opref::check::testing {

using Floats = std::vector<float>;

/// From -range to range, in steps of range·2^-13: texts have them exactly.
inline Floats draw(exact::oracle::Random& random, size_t count, float range) {
  Floats x;
  for (size_t i = 0; i < count; ++i) x.push_back(static_cast<float>(random.in(-8192, 8192)) * range * 0x1p-13F);
  return x;
}

/// "NAME=[[1,2],[3,4]]:float32"
inline std::string literal(const std::string& name, const Floats& x, const std::vector<size_t>& shape) {
  std::string text = name + "=";
  for (size_t i = 0; i < x.size(); ++i) {
    size_t begins = 0, ends = 0, step = 1;
    for (size_t axis = shape.size(); axis-- > 0;) {
      step *= shape[axis];
      begins += i % step == 0 ? 1 : 0;
      ends += (i + 1) % step == 0 ? 1 : 0;
    }
    text += (i == 0 ? "" : ",") + std::string(begins, '[') + format("{}", x[i]) + std::string(ends, ']');
  }
  return text + ":float32";
}

class NodeUnderTest {
 public:
  NodeUnderTest(const std::string& op, const std::vector<std::string>& attributes,
                const std::vector<std::string>& inputs)
      : bound_(run::bind_case(run::read_case(op), inputs, {.attributes = attributes, .nodes = {}, .opset = {}})) {
    std::vector<std::string> warnings;
    environment_ = run::load_inputs(bound_, {}, warnings);
    steps_ = run::run_graph(bound_.graph, environment_, {});
  }
  /// `output` is a literal.
  Comparison compared(const std::string& output, const BoundedKernel& kernel = {}) const {
    const std::vector<NamedSource> named{run::parse_binding(bound_, output, run::Names::outputs)};
    return compare_expected(*bound_.read, named, environment_, steps_,
                            {.rule = Tolerance{.rule = Tolerance::Rule::bound, .kernel = kernel}}, INT64_MAX,
                            Foreign::actual)
        .outputs.at(0)
        .comparison;
  }

 private:
  run::Bound bound_;
  run::Environment environment_;
  std::vector<run::Step> steps_;
};

}  // namespace opref::check::testing
