// SPDX-License-Identifier: Apache-2.0
#include "run/evaluate.h"
#include "ops/foreign_names.h"

#include <algorithm>
#include <chrono>
#include <functional>
#include <iterator>
#include <set>
#include <utility>

#include "core/error.h"
#include "core/letter_case.h"
#include "core/memory_limit.h"
#include "run/node_subgraphs.h"
#include "run/places.h"
#include "run/sound_names.h"
#include "run/version.h"
#include "run/what_fits.h"
#include "schema/as_input.h"
#include "schema/domains.h"
#include "schema/remedies.h"
#include "system/deadline.h"
#include "system/file.h"
#include "system/machine_error.h"

namespace opref::run {
namespace {

/// Names all inputs of the node that nobody gives or computes.
[[noreturn]] void fail_for_missing(const OpSchema& schema, const Node& node, const Environment& environment,
                                   Compute compute) {
  std::vector<std::string> shown, missing;
  for (size_t i = 0; i < node.inputs.size(); ++i) {
    const std::string& name = node.inputs[i];
    if (name.empty() || environment.contains(name)) continue;
    const std::string_view formal = schema.inputs().empty() ? "" : OpSchema::formal(schema.inputs(), i).name;
    const auto stated = std::ranges::find_if(node.attributes, [&](const Attribute& attribute) {
      return mapped_case(attribute.name, lower_case) == mapped_case(formal, lower_case);
    });
    if (stated != node.attributes.end() && schema.find_attribute(stated->name) == nullptr)
      fail(Fault::invalid, {kGiveInput, name == formal ? as_input(*stated, name) : format("{}=FILE", printable(name))},
           "'{}' is not an attribute of {}-{}", printable(stated->name), node.op_type, schema.since_version());
    shown.push_back(name == formal ? format("'{}'", name) : format("'{}' ({})", printable(name), formal));
    missing.push_back(printable(name));
  }
  const Remedy& remedy = compute == Compute::types ? kGiveTypes : kGiveValues;
  std::string unknown;  // which may be how the user meant to give it
  for (const Attribute& attribute : node.attributes)
    if (unknown.empty() && schema.find_attribute(attribute.name) == nullptr)
      unknown = format(", and '{}' is no attribute of {}-{}", printable(attribute.name), node.op_type,
                       schema.since_version());
  fail(Fault::usage, {remedy, join_text(missing, ", ")}, "{} {} no value{}",
       shown.size() == 1 ? "input " + shown.front() : "the inputs " + join_text(shown, ", "),
       shown.size() == 1 ? "has" : "have", unknown);
}

std::vector<Input> call_inputs(const OpSchema& schema, const Node& node, const Environment& environment,
                               Compute compute) {
  std::vector<Input> inputs;
  inputs.reserve(node.inputs.size());
  for (size_t i = 0; i < node.inputs.size(); ++i) {
    const std::string& name = node.inputs[i];
    if (name.empty()) {
      inputs.emplace_back();
      continue;
    }
    const auto known = environment.find(name);
    if (known == environment.end()) fail_for_missing(schema, node, environment, compute);
    inputs.push_back(known->second);
  }
  return inputs;
}

/// Of at least one.
double median(std::vector<double> numbers) {
  std::ranges::sort(numbers);
  return (numbers[(numbers.size() - 1) / 2] + numbers[numbers.size() / 2]) / 2;
}

/// Runs the kernel; the counts and the time go into `step`. `after_first` is called after its first run.
template <class AfterFirst>
std::vector<Value> compute_values(Step& step, const EvaluationOptions& options, const AfterFirst& after_first) {
  std::vector<Value> values;
  std::vector<double> seconds;
  step.call.set_numerics({.exact_only = options.exact_only, .threads = options.threads});
  for (int k = 0; k < options.repeat; ++k) {
    values.clear();
    std::vector<Stats> stats(step.types.size());  // of each output
    const auto start = std::chrono::steady_clock::now();
    values = step.call.op().kernel(step.call, outputs_of(step.call, step.types, stats));
    seconds.push_back(std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
    step.decided.clear();
    for (const Stats& output : stats) step.decided.push_back({output.estimated, output.exact});
    if (k == 0) after_first();
  }
  step.seconds = seconds.front();
  if (seconds.size() > 1) step.repeated_seconds = median({seconds.begin() + 1, seconds.end()});
  return values;
}

/// The operator decides the types. What a graph declares must be the same; of an ONNX graph's other shapes is warned.
void check_declared_outputs(const GraphNames& names, Step& step) {
  for (size_t i = 0; i < step.node->outputs.size(); ++i) {
    const ValueInfo* info = names.declaration(step.node->outputs[i]);
    if (info == nullptr || agrees(*info, step.types[i])) continue;
    require_declared_type(*info, step.types[i]);
    const std::string sentence = format("is declared as {}, but is {}", to_text(*info), step.types[i]);
    require(!is_of_layers(step.node->domain), "the output '{}' {}", printable(info->name), sentence);
    step.notes.push_back({Note::Level::warning, step.node->outputs[i], sentence});
  }
}

/// "Upsample-10: deprecated since opset 10, computed as version 9; use Resize"
Note deprecation(const Version& version) {
  const std::int64_t own = version.schema.since_version();
  std::int64_t before = 0, after = 0;
  for (const OpSchema& other : version.op.versions()) {
    if (other.is_deprecated()) continue;
    if (other.since_version() < own) before = other.since_version();
    if (other.since_version() > own && after == 0) after = other.since_version();
  }
  const std::string_view successor = successor_of(version.op.op_type());
  return warning(
      format("{}-{}", version.op.op_type(), own),
      format("deprecated since opset {}{}{}{}", own, before == 0 ? "" : format(", computed as version {}", before),
             successor.empty() ? "" : format("; use {}", successor),
             after == 0 ? "" : format("; version {} is not", after)));
}

/// The value of output `i`; nothing where none was computed.
MaybeValue take_value(std::vector<Value>& values, size_t i) {
  return i < values.size() ? MaybeValue(std::move(values[i])) : MaybeValue();
}

/// What the operator promises: a type for each output of the node, and a value for each that has a name.
void require_promised(const Step& step, size_t given, std::string_view noun) {
  for (size_t i = given; i < step.node->outputs.size(); ++i)
    if (!step.node->outputs[i].empty())
      fail(Fault::internal, "{} gives no {} of its output {}", step.call.title(), noun, i);
}

/// Shapes that values decide are known now.
void complete_types(Step& step, const std::vector<Value>& values) {
  for (size_t i = 0; i < std::min(step.types.size(), values.size()); ++i)
    if (const Tensor* tensor = values[i].tensor(); tensor != nullptr && !step.types[i].has_shape)
      step.types[i] = tensor->type();
}

/// Whether anybody needs a value that the step gives.
bool is_read(const Step& step, const Scope& scope) {
  return std::ranges::any_of(step.node->outputs, [&](const std::string& output) {
    return scope.names.is_read(output) ||
           std::ranges::find(scope.results, output, &ValueInfo::name) != scope.results.end();
  });
}

/// What values may take that `infer` computes.
constexpr std::int64_t kMostFolded = std::int64_t{64} << 20;

/// Whether `infer` takes the values too, which may decide shapes: what they follow from is known, and they are few.
bool folds(const Step& step, const Scope& scope) {
  constexpr std::int64_t kMostElements = 4096;
  const Operator& op = step.call.op();
  if (!op.has_kernel() || !is_read(step, scope) || scope.bytes_held() > kMostFolded) return false;
  std::int64_t elements = 0;
  for (const Input& input : step.call.inputs()) {
    if (input.name.empty()) continue;
    if (op.takes_types_alone() && (input.type.form != Form::tensor || input.type.has_shape)) continue;
    if (!input.value) return false;
    const TensorList tensors = tensors_in(*input.value);
    if (input.type.form != Form::tensor) elements = checked_add(elements, std::ssize(tensors));
    if (elements > kMostElements) return false;
    for (const Tensor& tensor : tensors) elements = checked_add(elements, tensor.count());
  }
  for (const ValueType& type : step.types)
    if (type.has_shape) elements = checked_add(elements, element_count(type.tensor.shape));
  return elements <= kMostElements;
}

/// Runs `body`; what cannot be computed here stays unknown.
void only_if_it_can_be(const std::function<void()>& body) {
  try {
    body();
  } catch (const Error& error) {
    pass_on(error);
    if (error.fault() != Fault::usage && error.fault() != Fault::unsupported && error.fault() != Fault::system) throw;
  }
}

/// A node may name a value a million times; few names count nowhere.
void require_inputs_fit(const Node& node, std::int64_t held, std::int64_t max_bytes) {
  constexpr std::int64_t kCopies = 3, kFew = 1000;  // copies until a Call has them
  if (std::ssize(node.inputs) <= kFew) return;
  const std::int64_t needed = std::ssize(node.inputs) * kCopies * static_cast<std::int64_t>(sizeof(Input));
  if (needed > max_bytes - std::min(max_bytes, held))
    fail(Fault::system, kMoreMemory, "its {} take {}, with the values that are held {}, but the limit is {}",
         counted(std::ssize(node.inputs), "input"), counted(needed, "byte"), checked_add(needed, held), max_bytes);
}

Call resolve_inputs(const Version& version, const Scope& scope, const Node& node) {
  const auto inputs = [&] { return call_inputs(version.schema, node, scope.environment, scope.compute); };
  return with_what_fits(version, node, inputs, scope.options.readings,
                        [&] { return resolve(version, node, inputs(), scope.options.readings); });
}

/// What a node means.
struct Resolved {
  std::shared_ptr<const FunctionOperator> called;  ///< null: the node calls no function
  Version version;                                 ///< of its operator, or of the function as one
};

Resolved resolved(const OpsetImport& opsets, const Node& node, const ReadingChoices& readings) {
  const Function* function = called_function(opsets, node, readings);
  if (function == nullptr) return {nullptr, version_in_force(opsets, node)};
  auto called = std::make_shared<const FunctionOperator>(*function, node, opsets);
  const Version version = called->version();
  return {std::move(called), version};
}

Step evaluate_as(const Resolved& meaning, const Scope& scope, const Node& node) {
  const auto& called = meaning.called;
  const Version& version = meaning.version;
  const auto& [op, schema, opset] = version;
  const EvaluationOptions& options = scope.options;
  require_time();
  require_inputs_fit(node, scope.bytes_held(), options.max_bytes);
  Step step{&node, opset, resolve_inputs(version, scope, node), {}, {}, {}};
  const std::int64_t room = room_beside(scope.bytes_held(), options);
  step.call.set_room(room);
  const MemoryLimit limit(room, kBesideRoom);
  Inside inside;
  if (called != nullptr && options.tell_bodies && scope.compute == Compute::types) inside.steps = &step.body;
  const std::shared_ptr<NodeSubgraphs> subgraphs = subgraphs_of(scope, node, step.call, called);
  if (subgraphs != nullptr) {
    subgraphs->gather(inside);
    step.call.set_subgraphs(subgraphs);
  }
  step.types = with_what_fits(
      version, node, [&] { return std::span(step.call.inputs()); }, options.readings,
      [&] { return version.op.output_types(step.call); });
  inside.steps = nullptr;
  require_promised(step, step.types.size(), "type");
  step.notes = op.notes(step.call);
  if (step.call.schema().is_deprecated()) step.notes.push_back(deprecation(version));
  check_declared_outputs(scope.names, step);
  std::vector<Value> values;
  const auto compute = [&] {
    values = compute_values(step, options, [&] {
      if (subgraphs != nullptr) subgraphs->stop();
    });
    require_promised(step, values.size(), "value");
    complete_types(step, values);
    if (options.alter && scope.compute == Compute::values) options.alter(step, values);
  };
  const bool is_wanted = std::ranges::any_of(node.outputs, [](const std::string& name) { return !name.empty(); });
  if (scope.compute == Compute::values && is_wanted) {
    if (options.before_value)
      for (size_t i = 0; i < node.outputs.size(); ++i) options.before_value(node.outputs[i], step.types[i]);
    require_memory(step, scope.bytes_held(), options);
    compute();
  } else if (folds(step, scope)) {
    const MemoryLimit little(kMostFolded);
    only_if_it_can_be(compute);
  }
  if (subgraphs != nullptr) subgraphs->stop();
  if (scope.is_heard && is_wanted) {
    const bool confirm = scope.compute == Compute::values && std::ranges::all_of(values, [&](const Value& value) {
                           return value.tensor() == nullptr || value.tensor()->count() < options.confirm_readings_below;
                         });
    step.readings = report_readings(step.call, step.types, confirm ? &values : nullptr);
  }
  std::ranges::move(inside.notes, std::back_inserter(step.notes));
  std::ranges::move(inside.readings, std::back_inserter(step.readings));
  step.inside = inside.decided;
  for (size_t i = 0; i < node.outputs.size(); ++i) {
    if (node.outputs[i].empty()) continue;
    MaybeValue value = take_value(values, i);
    if (value) scope.held->add(*value);
    scope.environment.insert_or_assign(node.outputs[i],
                                       Input{node.outputs[i], step.types[i], std::move(value), {}, true});
  }
  if (!values.empty()) require_memory(scope.bytes_held(), options);
  if (const auto differ = called == nullptr ? std::nullopt : called->other_versions(scope.opsets))
    step.notes.push_back(warning(to_text(called->function()), *differ));
  return step;
}

}  // namespace

Step evaluate(const Scope& scope, const Node& node) {
  std::optional<Resolved> meaning;
  const auto place = [&] {
    return place_of(node, meaning && meaning->called == nullptr ? &meaning->version : nullptr);
  };
  return at_place(place, [&] {
    meaning.emplace(resolved(scope.opsets, node, scope.options.readings));
    return evaluate_as(*meaning, scope, node);
  });
}

namespace {

/// An output that is an input may have no value.
void require_outputs(const Graph& graph, const Environment& environment, Compute compute) {
  for (const ValueInfo& output : graph.outputs)
    if (!output_of(environment, output.name).value && compute == Compute::values)
      fail(Fault::usage, {kGiveValues, printable(output.name)}, "input '{}' has no value", printable(output.name));
}

std::set<std::string_view> names_of(const Environment& environment) {
  std::set<std::string_view> names;
  for (const auto& [name, known] : environment) names.insert(name);
  return names;
}

/// What stays known for whoever judges the outputs.
class Kept {
 public:
  Kept(const Graph& graph, const EvaluationOptions& options)
      : keep_(options.keep), names_(options.also_kept.begin(), options.also_kept.end()) {
    for (const ValueInfo& output : graph.outputs) results_.insert(output.name);
  }

  void decide(Step& step) {
    if (keep_ != Keep::judged || !is_judged(step)) return forget(step.call);
    names_.merge(names_read(*step.node));
    names_.insert(step.node->outputs.begin(), step.node->outputs.end());
  }

  std::vector<std::string> without_them(std::span<const std::string> names) const {
    std::vector<std::string> others;
    std::ranges::copy_if(names, std::back_inserter(others),
                         [&](const std::string& name) { return !names_.contains(name); });
    return others;
  }

 private:
  bool is_judged(const Step& step) const {
    return std::ranges::any_of(step.node->outputs, [&](const std::string& name) { return results_.contains(name); }) ||
           std::ranges::any_of(step.readings, [](const ReadingReport& report) { return !report.possible.empty(); });
  }

  static void forget(Call& call) {
    call.drop_values();
    if (const auto* inside = dynamic_cast<const NodeSubgraphs*>(call.subgraphs().get())) inside->forget();
  }

  const Keep keep_;
  std::set<std::string_view> results_;
  std::set<std::string, std::less<>> names_;
};

/// The graph's inputs that a node reads and nobody has given a value.
std::vector<std::string> inputs_without_value(const Graph& graph, const Environment& environment) {
  std::vector<std::string> missing;
  for (const ValueInfo& input : graph.inputs)
    if (const auto known = environment.find(input.name); known == environment.end() || !known->second.value)
      missing.push_back(input.name);
  if (missing.empty()) return missing;
  std::erase_if(missing, [names = GraphNames(graph)](const std::string& name) { return !names.is_read(name); });
  std::ranges::transform(missing, missing.begin(), [](const std::string& name) { return printable(name); });
  return missing;
}

/// Where a node lacks the values of one of these inputs, all are told at once; of one how they are generated.
void tell_all_missing(Error& error, const std::vector<std::string>& missing, const Environment& environment) {
  if (error.remedy() != kGiveValues || std::ranges::count(missing, error.way_out().argument) == 0) return;
  error.set_way_out({kGiveValues, join_text(missing, ", ")});
  const auto known = missing.size() == 1 ? environment.find(missing.front()) : environment.end();
  if (known == environment.end()) return;
  const ValueType& type = known->second.type;
  if (type.form == Form::tensor && type.has_shape && info(type.dtype()).kind == Kind::floating)
    error.set_way_out({kMakeValues, format("{}={}:normal", missing.front(), type)});
}

std::vector<Step> evaluate_all(const Graph& graph, Environment& environment, const EvaluationOptions& options,
                               Compute compute) {
  require_known_operators(graph);
  require_known_readings(graph, options.readings);
  require_sound_names(graph, names_of(environment));
  std::vector<Step> steps;
  Evaluation evaluation(graph, environment, options, compute);
  const std::vector<std::string> missing = inputs_without_value(graph, environment);  // before values are freed
  const auto evaluate_next = [&](const Node& node) {
    try {
      steps.push_back(evaluation.evaluate(node));
    } catch (Error& error) {
      tell_all_missing(error, missing, environment);
      throw;
    }
    if (options.after_node) options.after_node();
  };
  if (compute == Compute::types || options.keep == Keep::all) {
    for (const Node& node : graph.nodes) evaluate_next(node);
  } else {
    const LastReaders readers(graph, graph.outputs);
    Kept kept(graph, options);
    for (size_t k = 0; k < graph.nodes.size(); ++k) {
      evaluate_next(graph.nodes[k]);
      kept.decide(steps.back());
      evaluation.forget(kept.without_them(readers.done_after(k)));
    }
  }
  require_outputs(graph, environment, compute);
  require_declared_outputs(graph, environment);
  return steps;
}

}  // namespace

const Value& value_of(const Environment& environment, const std::string& tensor) {
  const auto known = environment.find(tensor);
  if (known == environment.end() || !known->second.value)
    fail(Fault::usage, {kGiveValues, printable(tensor)}, "'{}' has no value", printable(tensor));
  return *known->second.value;
}

struct Evaluation::State {
  State(const Graph& graph, Environment& environment, const EvaluationOptions& options, Compute compute)
      : names(graph), held(std::make_shared<HeldBytes>(environment)), scope{names,   {},      graph.opset_import,
                                                                            options, compute, environment,
                                                                            held} {}
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  const GraphNames names;
  const std::shared_ptr<HeldBytes> held;
  const Scope scope;
};

Evaluation::Evaluation(const Graph& graph, Environment& environment, const EvaluationOptions& options, Compute compute)
    : state_(std::make_unique<State>(graph, environment, options, compute)) {}

Evaluation::~Evaluation() = default;

Step Evaluation::evaluate(const Node& node) {
  Step step = run::evaluate(state_->scope, node);
  state_->held->add_bytes(told_bytes(step.body));
  return step;
}

void Evaluation::forget(std::span<const std::string> names) { state_->scope.release(names); }

Call resolve_node(const Graph& graph, const Node& node, const Environment& environment,
                  const EvaluationOptions& options) {
  const auto& [called, version] = resolved(graph.opset_import, node, options.readings);
  if (called != nullptr || has_subgraph(node)) require_sound_names(graph, node, names_of(environment));
  const std::int64_t bytes_held = HeldBytes(environment).total();
  require_inputs_fit(node, bytes_held, options.max_bytes);
  Call call = resolve(version, node, call_inputs(version.schema, node, environment, Compute::values), options.readings);
  call.set_room(room_beside(bytes_held, options));
  if (called != nullptr || has_subgraph(node)) {
    Environment known = environment;
    const auto held = std::make_shared<HeldBytes>(known);
    const GraphNames names(graph);
    const Scope scope{names, {}, graph.opset_import, options, Compute::types, known, held};
    call.set_subgraphs(subgraphs_of(scope, node, call, called));
  }
  return call;
}

std::optional<Origin> origin_of(const Call& call, std::span<const ValueType> types, size_t output) {
  const auto* inside = dynamic_cast<const NodeSubgraphs*>(call.subgraphs().get());
  if (inside == nullptr) return std::nullopt;
  std::vector<Value> values;
  LastInside last = inside->watch([&] { values = call.op().kernel(call, types); });
  const Tensor* made = output < values.size() ? values[output].tensor() : nullptr;
  if (made == nullptr || last.graph == nullptr) return std::nullopt;
  for (size_t k = 0; k < last.outputs.size(); ++k) {
    const Tensor* given = last.outputs[k].value->tensor();
    if (given == nullptr || given->identity() == nullptr || given->identity() != made->identity()) continue;
    Origin origin{*last.graph, std::move(last.environment), last.graph->outputs[k].name};
    origin.graph.opset_import = inside->opsets();
    return origin;
  }
  return std::nullopt;
}

std::vector<Step> infer(const Graph& graph, Environment& environment, const EvaluationOptions& options) {
  return evaluate_all(graph, environment, options, Compute::types);
}

std::vector<Step> run_graph(const Graph& graph, Environment& environment, const EvaluationOptions& options) {
  return evaluate_all(graph, environment, options, Compute::values);
}

void confirm_readings(std::vector<Step>& steps, const Environment& environment) {
  for (Step& step : steps) {
    if (std::ranges::all_of(step.readings, [](const ReadingReport& report) { return report.possible.empty(); }))
      continue;
    std::vector<Value> values;
    for (size_t i = 0; i < step.types.size() && i < step.node->outputs.size(); ++i)
      if (const auto known = environment.find(step.node->outputs[i]); known != environment.end() && known->second.value)
        values.push_back(*known->second.value);
    if (values.size() != step.types.size()) continue;
    // Those of operators inside its subgraphs stay as they are.
    std::vector<ReadingReport> reports = report_readings(step.call, step.types, &values);
    for (ReadingReport& report : step.readings)
      if (std::ranges::find(step.call.op().readings(), report.name, &Reading::name) == step.call.op().readings().end())
        reports.push_back(std::move(report));
    step.readings = std::move(reports);
  }
}

std::int64_t default_max_bytes() { return physical_memory() / 2; }

}  // namespace opref::run
