// SPDX-License-Identifier: Apache-2.0
// Which operators tell how far right kernels may be? All that compute floats do but those listed here, each with its
// reason. What is exact by nature says so itself: it tells no terms, or that all right kernels give the same bits.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <map>
#include <set>

#include "check/bound.h"
#include "check/typical.h"
#include "compare/error_bound.h"
#include "core/error.h"
#include "core/text.h"
#include "exact/real/faithful.h"
#include "exact/real/with_kernel.h"
#include "exact/rounding.h"
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

namespace bounds_test {

using namespace opref::golden;

namespace {

enum class Told : std::uint8_t { nothing, bounds, spread, other };

constexpr size_t kMostCases = 60;  ///< of an operator

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

/// The case's graph, and its inputs.
std::pair<Bound, Environment> loaded(const GoldenCase& golden) {
  auto read = std::make_shared<Case>(read_json_case(golden.stated.root(), {}, golden.folder));
  read->origin = golden.name;
  Bound bound = bind_case(read);
  std::vector<std::string> warnings;
  Environment environment = load_inputs(bound, bound.options, warnings);
  return {std::move(bound), std::move(environment)};
}

/// What kernels tell of the case's floats.
std::set<Told> told_of(const GoldenCase& golden) {
  std::set<Told> told;
  try {
    auto [bound, environment] = loaded(golden);
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

namespace {

/// How much of their bounds simulated kernels used, in all cases of an operator.
struct Use {
  std::int64_t elements = 0, outputs = 0, beyond = 0;
  std::int64_t overflow = 0;  ///< that differ more where a kernel may overflow on its way, which no bound allows
  double greatest = 0, median = 0;
};

/// Whether each step of the output is judged from the kernel's own states.
bool lists_states(const Step& step, size_t output) {
  struct Hears : TermSink {
    bool asks_for_bounds() override { return true; }
    void recurs(bool lists) override { throw lists; }
  } sink;
  try {
    step.call.op().kernel(step.call, output_of(step.call, step.types, output, sink));
  } catch (const bool lists) {
    return lists;
  }
  return false;
}

/// Whether squares of what the case reads overflow.
bool may_overflow(const Environment& environment) {
  constexpr double kGreat = 0x1p60;
  for (const auto& [name, known] : environment) {
    const Tensor* tensor = known.value ? known.value->tensor() : nullptr;
    if (tensor == nullptr || !is_floating(tensor->dtype())) continue;
    for (std::int64_t i = 0; i < tensor->count(); ++i) {
      const double x = std::abs(floating_element(*tensor, i));
      if (std::isfinite(x) && x > kGreat) return true;
    }
  }
  return false;
}

void simulate(const GoldenCase& golden, std::uint32_t runs, Use& use) {
  try {
    auto [bound, environment] = loaded(golden);
    const std::vector<Step> steps = run_graph(bound.graph, environment, bound.options);
    const Step& step = steps.front();
    for (size_t output = 0; output < step.node->outputs.size(); ++output) {
      const std::string& name = step.node->outputs[output];
      const auto made = environment.find(name);
      const Tensor* ours = made == environment.end() || !made->second.value ? nullptr : made->second.value->tensor();
      if (ours == nullptr || ours->count() == 0 || !is_floating(ours->dtype())) continue;
      if (ours->dtype() == DType::float64) continue;  // simulated kernels compute in double
      if (!opref::compare::has_limits(ours->dtype()) || told_of(step, output) != Told::bounds) continue;
      if (lists_states(step, output)) continue;
      for (const Tensor& theirs : opref::check::simulated_outputs(step, name, *ours, {}, runs)) {
        const auto found = opref::check::compare_known_bound(steps, name, theirs, *ours, opref::check::Foreign::actual);
        if (!found) continue;
        ++use.outputs;
        use.elements += ours->count();
        use.greatest = std::max(use.greatest, found->bound_ratio.value_or(0));
        use.median = std::max(use.median, found->bound_median);
        if (found->equal()) continue;
        if (found->without_bound > 0 || may_overflow(environment)) {
          ++use.overflow;
          continue;
        }
        ++use.beyond;
        const std::int64_t at = found->out_of_bound.front();
        UNSCOPED_INFO(format("{} {}: share {} at element {}: {}, not {}", golden.name, name, *found->bound_ratio, at,
                             floating_element(theirs, at), floating_element(*ours, at)));
      }
    }
  } catch (const Error& error) {
    if (error.fault() == Fault::internal) throw;  // else the specification rejects the case
  }
}

}  // namespace

namespace {

/// Counts what a simulated kernel gives that is no number of its own.
class Foreigners : public TermSink {
 public:
  bool asks_for_bounds() override { return true; }
  bool asks_for_bound(std::int64_t) const override { return true; }
  void bound(std::int64_t, const Faithful& y, const ResultRange&) override {
    const bool is_own =
        y.error() == 0 && y.low() == 0 && (Faithful::kernel.holds(y.high()) || !std::isfinite(y.high()));
    ++elements, foreign += is_own ? 0 : 1;
  }
  std::int64_t elements = 0, foreign = 0;
};

void count(const GoldenCase& golden, Foreigners& sink) {
  try {
    auto [bound, environment] = loaded(golden);
    const std::vector<Step> steps = infer(bound.graph, environment, bound.options);
    const Step& step = steps.front();
    if (has_subgraph(*step.node)) return;
    for (size_t output = 0; output < step.node->outputs.size(); ++output) {
      const ValueType& type = step.types[output];
      if (type.form != Form::tensor || !opref::compare::has_limits(type.dtype()) || type.dtype() == DType::float64 ||
          told_of(step, output) != Told::bounds)
        continue;
      const SimulatedKernel kernel;
      const opref::exact::WithKernel with_kernel(opref::compare::model_of({}, type.dtype()), &kernel);
      step.call.op().kernel(step.call, output_of(step.call, step.types, output, sink));
    }
  } catch (const Error& error) {
    if (error.fault() == Fault::internal) throw;  // else the specification rejects the case
  }
}

}  // namespace

TEST_CASE("bound: simulated kernels have numbers of their type alone", "[bound][recipes][release]") {
  int operators = 0;
  for (const OperatorRow& row : operator_rows()) {
    const std::string name = format("{}{}", row.domain == "ai.onnx" ? "" : format("{}:", row.domain), row.op_type);
    if (!find_operator(row.domain, row.op_type)->has_kernel()) continue;
    Foreigners sink;
    const std::vector<GoldenCase> cases = expand(recipes_named(name), std::nullopt);
    for (size_t k = 0; k < cases.size(); k += 1 + cases.size() / kMostCases) count(cases[k], sink);
    INFO(name << ": " << sink.elements << " elements");
    CHECK(sink.foreign == 0);
    operators += sink.elements > 0;
  }
  CHECK(operators >= 170);
}

TEST_CASE("bound: no simulated kernel leaves it, of any operator, and some come near it", "[bound][recipes][release]") {
  constexpr size_t kLeastOperators = 190;
  constexpr std::uint32_t kRuns = 8;
  constexpr double kNear = 0.05;
  const std::string few = "its few cases are exact in float32";
  const std::map<std::string, std::string> wide = {
      {"openvino:Convolution", few}, {"openvino:GroupConvolution", few}, {"Det", "it allows for any pivots"}};
  Use all;
  size_t operators = 0;
  for (const OperatorRow& row : operator_rows()) {
    const std::string name = format("{}{}", row.domain == "ai.onnx" ? "" : format("{}:", row.domain), row.op_type);
    if (!find_operator(row.domain, row.op_type)->has_kernel()) continue;
    const std::vector<GoldenCase> cases = expand(recipes_named(name), std::nullopt);
    Use use;
    for (size_t k = 0; k < cases.size(); k += 1 + cases.size() / kMostCases) simulate(cases[k], kRuns, use);
    if (use.outputs == 0) continue;
    INFO(name << ": " << use.outputs << " outputs of " << use.elements << " elements, greatest share " << use.greatest
              << ", greatest median " << use.median << ", " << use.overflow << " beyond where kernels overflow");
    CHECK(use.beyond == 0);
    CHECK((use.greatest >= kNear || wide.contains(name)));
    ++operators, all.outputs += use.outputs, all.elements += use.elements;
  }
  INFO(operators << " operators, " << all.outputs << " outputs of " << all.elements << " elements");
  CHECK(operators >= kLeastOperators);
}

}  // namespace bounds_test
