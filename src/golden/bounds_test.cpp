// SPDX-License-Identifier: Apache-2.0
// Which operators tell how far right kernels may be? All that compute floats do but those listed here, each with its
// reason. What is exact by nature says so itself: it tells no terms, or that all right kernels give the same bits.
#include <algorithm>
#include <catch2/catch.hpp>
#include <map>
#include <set>

#include "core/error.h"
#include "core/text.h"
#include "exact/real/faithful.h"
#include "exact/term_sink.h"
#include "golden/json_case.h"
#include "golden/make_case.h"
#include "golden/shipped_recipes.h"
#include "io/json/json.h"
#include "ops/operators.h"
#include "run/bind.h"
#include "run/evaluate.h"
#include "run/load_case.h"
#include "run/load_inputs.h"
#include "run/node_subgraphs.h"

using namespace opref::golden;

namespace {

enum class Told : std::uint8_t { nothing, bounds, spread, other };

/// Leaves the kernel as soon as it is known what it tells.
class Probe : public TermSink {
 public:
  struct Known {
    Told told;
  };
  void begin(std::int64_t) override { throw Known{Told::bounds}; }
  bool asks_for_bounds() override { throw Known{Told::bounds}; }
  void exact() override { throw Known{Told::nothing}; }
  void other() override { throw Known{Told::other}; }
  void recurs(bool lists_states) override {
    if (!lists_states) throw Known{Told::spread};
  }
};

Told told_of(const Step& step, size_t output) {
  Probe probe;
  try {
    step.call.op().kernel(step.call, output_of(step.call, step.types, output, probe));
  } catch (const Probe::Known& known) {
    return known.told;
  }
  return Told::nothing;
}

/// What kernels tell of the case's floats.
std::set<Told> told_of(const GoldenCase& golden) {
  auto read = std::make_shared<Case>(read_json_case(golden.stated.root(), {}, golden.folder));
  read->origin = golden.name;
  std::set<Told> told;
  try {
    const Bound bound = bind_case(read);
    std::vector<std::string> warnings;
    Environment environment = load_inputs(bound, bound.options, warnings);
    const std::vector<Step> steps = infer(bound.graph, environment, bound.options);
    const Step& step = steps.front();
    if (has_subgraph(*step.node)) return {Told::other};
    for (size_t output = 0; output < step.node->outputs.size(); ++output) {
      const ValueType& type = step.types[output];
      if (type.form != Form::tensor || step.node->outputs[output].empty()) continue;
      if (is_floating(type.dtype())) told.insert(told_of(step, output));
    }
  } catch (const Error& error) {
    if (error.fault() == Fault::internal) throw;  // else the specification rejects the case
  }
  return told;
}

/// The operators of which some shipped case tells this.
std::map<Told, std::set<std::string>> operators_by_told() {
  std::map<Told, std::set<std::string>> found;
  for (const OperatorRow& row : operator_rows()) {
    const std::string name = format("{}{}", row.domain == "ai.onnx" ? "" : format("{}:", row.domain), row.op_type);
    if (!find_operator(row.domain, row.op_type)->has_kernel()) continue;
    for (const GoldenCase& golden : expand(recipes_named(name), std::nullopt)) {
      const std::set<Told> told = told_of(golden);
      for (const Told one : told) found[one].insert(name);
      if (told.contains(Told::other)) break;
    }
  }
  return found;
}
std::set<std::string> names_of(const std::map<std::string, std::string>& reasons) {
  std::set<std::string> names;
  for (const auto& [name, reason] : reasons) names.insert(name);
  return names;
}

}  // namespace

TEST_CASE("bound: operators without one are known", "[bound][recipes][release]") {
  const std::string graph = "it has values that a graph computes, whose errors are not known";
  auto found = operators_by_told();
  CHECK(found[Told::other] == names_of({{"If", graph},
                                        {"Loop", graph},
                                        {"Scan", graph},
                                        {"SequenceMap", graph},
                                        {"ai.onnx.preview:FlexAttention", graph},
                                        {"openvino:If", graph},
                                        {"openvino:Loop", graph},
                                        {"openvino:TensorIterator", graph}}));
  // Those that the spread of simulated kernels judges.
  CHECK(found[Told::spread] ==
        names_of({{"LinearAttention", "its outputs do not list its states"},
                  {"ai.onnx.ml:SVMClassifier", "each step that couples probabilities multiplies a bound"},
                  {"com.microsoft:DynamicQuantizeLSTM", "it quantises its states, which no trace follows"}}));
}
