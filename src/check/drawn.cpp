// SPDX-License-Identifier: Apache-2.0
#include "check/drawn.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "check/record.h"
#include "core/error.h"
#include "core/memory_limit.h"
#include "core/random.h"
#include "run/load_inputs.h"
#include "run/memory.h"
#include "run/version.h"
#include "system/machine_error.h"

namespace opref::check {
namespace {

using explain::ReadyCase;

Environment inputs_of(const ReadyCase& ready) {
  std::vector<std::string> warnings;
  return load_inputs(ready.bound, ready.bound.options, warnings);
}

Environment inferred(const ReadyCase& ready) {
  Environment environment = inputs_of(ready);
  infer(ready.bound.graph, environment, ready.bound.options);
  return environment;
}

const Tensor* tensor_named(const std::vector<GivenValue>& given, const std::string& name) {
  const auto found = std::ranges::find(given, name, &GivenValue::name);
  return name.empty() || found == given.end() ? nullptr : found->value.tensor();
}

/// The sentence about what does not fit its type; empty: it does.
std::string misfit(const GivenValue& given, const ValueType& type) {
  const Tensor* const tensor = given.value.tensor();
  const bool fits = tensor != nullptr && type.form == Form::tensor && tensor->dtype() == type.dtype() &&
                    (!type.has_shape || tensor->shape() == type.tensor.shape);
  return fits ? "" : format("output '{}' is {}, but must be {}", printable(given.name), type_of(given.value), type);
}

/// Not only as much, but the very tensor.
bool is_same(const Value& a, const Value& b) {
  return a.tensor() != nullptr && b.tensor() != nullptr && a.tensor()->bytes().data() == b.tensor()->bytes().data();
}

/// A node without values, because some of its inputs have none.
struct Unknown {
  const Node* node;
  std::vector<std::string> inputs;  ///< those
};

class Check {
 public:
  Check(const ReadyCase& ready, const std::vector<GivenValue>& given)
      : graph_(ready.bound.graph), options_(ready.bound.options), given_(given), environment_(inputs_of(ready)) {
    options_.keep = Keep::all;
    Evaluation evaluation(graph_, environment_, options_, Compute::values);
    for (const Node& node : graph_.nodes) {
      std::vector<std::string> missing;
      for (const std::string& name : node.inputs)
        if (unknown_.contains(name)) missing.push_back(name);
      if (!missing.empty())
        leave(node, std::move(missing));
      else if (const Operator* op = operator_of(graph_.opset_import, node);
               op == nullptr || !op->may_draw() || !take_drawn(node))
        steps_.push_back(evaluation.evaluate(node));
    }
  }

  /// Empty, or the first rule that what was drawn breaks.
  const std::string& broken_rule() const { return broken_rule_; }
  const std::vector<Step>& steps() const { return steps_; }
  /// Null where it follows from what nobody gave.
  const Value* value(const std::string& name) const {
    const auto found = environment_.find(name);
    return found != environment_.end() && found->second.value ? &*found->second.value : nullptr;
  }
  std::string two_valued_fault(const GivenValue& given, const Environment& types) const;

 private:
  void leave(const Node& node, std::vector<std::string> missing) {
    for (const std::string& name : node.outputs) unknown_.emplace(name, Unknown{&node, missing});
  }

  /// False where the node draws nothing after all.
  bool take_drawn(const Node& node) {
    const Call call = resolve_node(graph_, node, environment_, options_);
    if (!call.op().draws(call)) return false;
    const MemoryLimit limit(options_.max_bytes, kBesideRoom);
    const std::vector<ValueType> types = call.op().output_types(call);
    std::vector<const Tensor*> drawn;
    for (const std::string& name : node.outputs) drawn.push_back(tensor_named(given_, name));
    std::vector<Value> values;
    try {
      values = call.op().drawn(call, outputs_of(call, types), drawn);
    } catch (const Error& error) {
      pass_on(error);
      if (error.fault() != Fault::invalid) throw;
      if (broken_rule_.empty()) broken_rule_ = format("{}: {}", call.title(), error.message());
    }
    for (size_t i = 0; i < node.outputs.size(); ++i) {
      const std::string& name = node.outputs[i];
      if (drawn[i] != nullptr)  // what breaks a rule is still what follows is made of
        environment_.insert_or_assign(
            name, Input{name, types[i], i < values.size() ? values[i] : Value(*drawn[i]), {}, true});
      else
        unknown_.emplace(name, Unknown{&node, {}});
    }
    return true;
  }

  const Graph& graph_;
  EvaluationOptions options_;
  const std::vector<GivenValue>& given_;
  Environment environment_;
  std::vector<Step> steps_;
  std::map<std::string, Unknown, std::less<>> unknown_;
  std::string broken_rule_;
};

Tensor condition(const Dims& shape, const std::function<bool(std::int64_t)>& holds) {
  TensorBuilder tensor({DType::boolean, shape});
  const std::span<std::uint8_t> elements = tensor.values<std::uint8_t>();
  for (size_t i = 0; i < elements.size(); ++i) elements[i] = holds(static_cast<std::int64_t>(i)) ? 1 : 0;
  return std::move(tensor).finish();
}

std::span<const std::byte> element(const Tensor& tensor, std::int64_t i) {
  const auto size = static_cast<size_t>(info(tensor.dtype()).bits / 8);
  return tensor.bytes().subspan(static_cast<size_t>(i) * size, size);
}

bool are_same(const Tensor& a, const Tensor& b, std::int64_t i) {
  return std::ranges::equal(element(a, i), element(b, i));
}

/// Of an output whose node takes one unknown condition of its shape, each element of which decides the element at its
/// place, as is tried: which elements are neither what it is where the condition holds nor what it is where not. An
/// `unsupported` error where it is not so.
std::string Check::two_valued_fault(const GivenValue& given, const Environment& types) const {
  const auto unknown = unknown_.find(given.name);
  const auto refuse = [&] {
    fail(Fault::unsupported, "output '{}' follows from numbers drawn at random, which nobody gives",
         printable(given.name));
  };
  if (unknown == unknown_.end() || unknown->second.inputs.size() != 1) refuse();
  const Node& node = *unknown->second.node;
  const std::string& name = unknown->second.inputs.front();
  const ValueType& type = types.at(name).type;
  const Tensor& actual = *given.value.tensor();
  if (type.form != Form::tensor || type.dtype() != DType::boolean || !type.has_shape ||
      type.tensor.shape != actual.shape() || info(actual.dtype()).bits < 8)
    refuse();
  const auto output = static_cast<size_t>(std::ranges::find(node.outputs, given.name) - node.outputs.begin());
  const MemoryLimit limit(options_.max_bytes, kBesideRoom);
  const auto result = [&](const std::function<bool(std::int64_t)>& holds) {
    Environment environment = environment_;
    environment.insert_or_assign(name, Input{name, type, Value(condition(type.tensor.shape, holds)), {}, true});
    const Call call = resolve_node(graph_, node, environment, options_);
    const std::vector<ValueType> own = call.op().output_types(call);
    const std::vector<Value> values = call.op().kernel(call, own);
    const Tensor* const tensor = values[output].tensor();
    if (tensor == nullptr || tensor->type() != actual.type()) refuse();
    return *tensor;
  };
  const Tensor yes = result([](std::int64_t) { return true; }), no = result([](std::int64_t) { return false; });
  for (const std::uint64_t stream : {1, 2}) {
    const Random random(stream);
    const auto holds = [&](std::int64_t i) { return random.below(2, i) == 1; };
    const Tensor mixed = result(holds);
    for (std::int64_t i = 0; i < actual.count(); ++i)
      if (!are_same(mixed, holds(i) ? yes : no, i)) refuse();
  }
  for (std::int64_t i = 0; i < actual.count(); ++i)
    if (!are_same(actual, yes, i) && !are_same(actual, no, i))
      return format("output '{}' is neither of the two values that {} may have", printable(given.name),
                    coordinates(i, actual.shape()));
  return "";
}

}  // namespace

bool draws(const ReadyCase& ready) {
  const Graph& graph = ready.bound.graph;
  const auto may_draw = [&](const Node& node) {
    const Operator* op = operator_of(graph.opset_import, node);
    return op != nullptr && op->may_draw();
  };
  if (std::ranges::none_of(graph.nodes, may_draw)) return false;
  try {
    const Environment environment = inferred(ready);
    return std::ranges::any_of(graph.nodes, [&](const Node& node) {
      if (!may_draw(node)) return false;
      const Call call = resolve_node(graph, node, environment, ready.bound.options);
      return call.op().draws(call);
    });
  } catch (const Error& error) {  // which the evaluation tells
    explain::forgive(ready, error);
    return false;
  }
}

std::vector<GivenValue> read_given(const ReadyCase& ready, std::span<const NamedSource> sources) {
  const Environment types = inferred(ready);
  std::int64_t left = ready.bound.options.max_bytes;
  std::vector<GivenValue> given;
  for (const NamedSource& named : sources) {
    const auto known = types.find(named.name);
    if (known == types.end()) fail(Fault::malformed, "'{}' is expected, but is no output", printable(named.name));
    given.push_back({named.name, settle(load(named.source, std::max<std::int64_t>(0, left), named.name),
                                        known->second.type.dtype())});
    left -= byte_size(given.back().value);
  }
  return given;
}

CaseReport check_drawn(const ReadyCase& ready, const std::vector<GivenValue>& given, const ToleranceChoice& choice) {
  CaseReport report;
  report.verdict = Verdict::pass;
  report.reason = kCheckedNotComputed;
  const auto fails = [&report](std::string reason) {
    if (report.verdict == Verdict::pass) report.reason = std::move(reason);
    report.verdict = Verdict::fail;
  };
  const Environment types = inferred(ready);
  for (const GivenValue& output : given)
    if (std::string fault = misfit(output, types.at(output.name).type); !fault.empty()) fails(std::move(fault));
  if (report.verdict == Verdict::fail) return report;
  const Check check(ready, given);
  if (!check.broken_rule().empty()) fails(check.broken_rule());
  for (const GivenValue& output : given) {
    const Value* const value = check.value(output.name);
    if (value == nullptr) {
      if (std::string fault = check.two_valued_fault(output, types); !fault.empty()) fails(std::move(fault));
      continue;
    }
    if (is_same(output.value, *value)) continue;  // it was drawn: there is nothing to compare it with
    report.outputs.push_back(
        compare_output(*ready.bound.read, output.name, output.value, *value, Foreign::actual, check.steps(), choice));
    const Comparison& comparison = report.outputs.back().comparison;
    if (!comparison.equal()) fails(format("output '{}' {}", printable(output.name), difference_text(comparison)));
  }
  return report;
}

void describe_drawn(CaseRecord& record, const ReadyCase& ready, const CaseReport& report) {
  std::vector<std::string> warnings;
  Environment environment = load_inputs(ready.bound, ready.bound.options, warnings);
  describe_steps(record, infer(ready.bound.graph, environment, ready.bound.options), warnings);
  record.verdict = report.verdict;
  record.reason = report.reason;
  record.output_differs = report.output_differs;
  if (record.verdict == Verdict::fail && record.trouble == Trouble::none) record.trouble = Trouble::wrong_random;
  for (const OutputReport& output : report.outputs) add_output(record, output);
}

}  // namespace opref::check
