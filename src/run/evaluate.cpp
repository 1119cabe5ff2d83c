// SPDX-License-Identifier: Apache-2.0
#include "run/evaluate.h"

#include <algorithm>
#include <chrono>
#include <functional>
#include <iterator>
#include <set>
#include <utility>

#include "core/error.h"
#include "run/functions.h"
#include "run/graph_names.h"
#include "run/memory.h"
#include "run/places.h"
#include "run/sound_names.h"
#include "run/swapped_inputs.h"
#include "run/version.h"
#include "schema/remedies.h"
#include "schema/sparse.h"
#include "system/file.h"

namespace opref::run {
namespace {

/// Names all inputs of the node that nobody gives or computes.
[[noreturn]] void fail_for_missing(const OpSchema& schema, const Node& node, const Environment& environment) {
  std::vector<std::string> shown, missing;
  for (size_t i = 0; i < node.inputs.size(); ++i) {
    const std::string& name = node.inputs[i];
    if (name.empty() || environment.contains(name)) continue;
    const std::string_view formal = schema.inputs().empty() ? "" : OpSchema::formal(schema.inputs(), i).name;
    shown.push_back(name == formal ? format("'{}'", name) : format("'{}' ({})", printable(name), formal));
    missing.push_back(printable(name));
  }
  fail(Fault::usage, {kGiveValues, join_text(missing, "=FILE ")}, "{} {} no value",
       shown.size() == 1 ? "input " + shown.front() : "the inputs " + join_text(shown, ", "),
       shown.size() == 1 ? "has" : "have");
}

std::vector<Input> call_inputs(const OpSchema& schema, const Node& node, const Environment& environment) {
  std::vector<Input> inputs;
  for (size_t i = 0; i < node.inputs.size(); ++i) {
    const std::string& name = node.inputs[i];
    if (name.empty()) {
      inputs.emplace_back();
      continue;
    }
    const auto known = environment.find(name);
    if (known == environment.end()) fail_for_missing(schema, node, environment);
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

/// The operator decides the types. OpenVINO's layers must state the same; an ONNX graph that declares others is warned
/// of.
void check_declared_outputs(const GraphNames& names, Step& step) {
  for (size_t i = 0; i < step.node->outputs.size(); ++i) {
    const ValueInfo* info = names.declaration(step.node->outputs[i]);
    if (info == nullptr || agrees(*info, step.types[i])) continue;
    const std::string sentence = format("is declared as {}, but is {}", to_text(*info), step.types[i]);
    require(step.node->domain != "openvino", "the output '{}' {}", printable(info->name), sentence);
    step.notes.push_back({Note::Level::warning, step.node->outputs[i], sentence});
  }
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

/// Where nodes are evaluated: their graph, and what is known there.
struct Scope {
  const GraphNames& names;
  std::span<const ValueInfo> results;  ///< of a subgraph, whose outputs the node around it reads
  const OpsetImport& opsets;           ///< the model's, in its subgraphs too
  const EvaluationOptions& options;
  Compute compute;
  Environment& environment;
  const std::shared_ptr<HeldBytes>& held;  ///< of the values in `environment`, and of those around a subgraph
  std::int64_t held_beside = 0;            ///< bytes of what the node around a subgraph gathers

  std::int64_t bytes_held() const { return checked_add(held_beside, held->total()); }

  /// Forgets the values that nobody reads any more.
  void release(std::span<const std::string> unread) const {
    for (const std::string& name : unread) {
      const auto known = environment.find(name);
      if (known == environment.end() || !known->second.value) continue;
      held->remove(*known->second.value);
      known->second.value = {};
    }
  }
};

Step evaluate(const Scope& scope, const Node& node);

std::int64_t told_bytes(std::span<const Step> steps);
/// What a step takes that is told, with its text.
std::int64_t told_bytes(const Step& step) {
  constexpr std::int64_t kText = 1024;
  const size_t each = step.call.inputs().size() * sizeof(Input) + step.types.size() * sizeof(ValueType);
  return checked_add(static_cast<std::int64_t>(sizeof(Step) + each) + kText, told_bytes(step.body));
}
std::int64_t told_bytes(std::span<const Step> steps) {
  std::int64_t total = 0;
  for (const Step& step : steps) total = checked_add(total, told_bytes(step));
  return total;
}

/// What the nodes of a node's subgraphs have to say: it is said of the node itself.
struct Inside {
  std::vector<Step>* steps = nullptr;  ///< where they are kept
  std::vector<Note> notes;
  std::vector<ReadingReport> readings;
  TierCounts decided;

  void add(Step step) {
    for (Note& note : step.notes)
      if (note.level == Note::Level::warning &&
          std::ranges::none_of(notes, [&](const Note& n) { return n.subject == note.subject && n.text == note.text; }))
        notes.push_back(std::move(note));
    for (ReadingReport& report : step.readings) {
      const auto same = std::ranges::find(readings, report.name, &ReadingReport::name);
      if (same == readings.end())
        readings.push_back(std::move(report));
      else if (same->others.empty())
        *same = std::move(report);
    }
    decided.add(step.all_decided());
    if (steps == nullptr) return;
    step.call.drop_values();
    steps->push_back(std::move(step));
  }
};

/// The last graph that was evaluated inside a node.
struct LastInside {
  const Graph* graph = nullptr;
  Environment environment;
  std::vector<Input> outputs;
};

bool has_value(const Input& input) { return input.value.has_value(); }

bool has_subgraph(const Node& node) {
  return std::ranges::any_of(node.attributes, [](const Attribute& a) { return subgraph(a) != nullptr; });
}

/// Evaluates a node's subgraphs, with what they read from around the node; it outlives the environment that it was made
/// from. Of a graph without inputs `types` keeps the values that it knows, since they decide shapes inside.
class NodeSubgraphs : public FunctionSubgraphs {
 public:
  NodeSubgraphs(const Scope& scope, const Node& node)
      : opsets_(scope.opsets),
        options_(scope.options),
        compute_(scope.compute),
        held_around_(scope.held),
        held_beside_(scope.held_beside) {
    options_.repeat = 1;
    for (const std::string& name : names_read(node))
      if (const auto known = scope.environment.find(name); known != scope.environment.end()) around_.insert(*known);
  }

  /// Of a node that calls a function, whose body sees nothing around the node.
  NodeSubgraphs(const Scope& scope, std::shared_ptr<const FunctionOperator> called, const Call& call)
      : opsets_(called->imports()),
        options_(scope.options),
        compute_(scope.compute),
        called_(std::move(called)),
        body_(called_->body(call)),
        held_around_(scope.held),
        held_beside_(scope.held_beside) {
    options_.repeat = 1;
    for (const Input& input : call.inputs())
      if (!input.name.empty()) given_.push_back(input);
  }

  std::vector<ValueType> body_types() const override {
    return at_place(place_, [&] {
      const std::vector<Input> outputs = evaluate_graph(*body_, given_, compute_, inside_);
      if (inside_ != nullptr && std::ranges::all_of(outputs, has_value)) kept_ = {body_.get(), values_of(outputs)};
      return types_of(outputs);
    });
  }

  std::vector<Value> body_values() const override {
    if (kept_.first == body_.get()) return std::exchange(kept_, {}).second;
    require_evaluated();
    return at_place(place_, [&] { return values_of(evaluated(*body_, given_)); });
  }

  std::vector<ValueType> types(const Graph& graph, std::span<const ValueType> inputs) const override {
    const Compute compute = inputs.empty() ? compute_ : Compute::types;
    const std::vector<Input> outputs = evaluate_graph(graph, known_types(inputs), compute, inside_);
    if (inputs.empty() && inside_ != nullptr && std::ranges::all_of(outputs, has_value))
      kept_ = {&graph, values_of(outputs)};
    return types_of(outputs);
  }

  std::vector<ValueType> inferred(const Graph& graph, std::span<const ValueType> inputs) const override {
    return types_of(evaluate_graph(graph, known_types(inputs), Compute::types, nullptr));
  }

  std::vector<Value> values(const Graph& graph, std::span<const Value> inputs, std::int64_t held) const override {
    if (kept_.first == &graph && inputs.empty()) return std::exchange(kept_, {}).second;
    require_evaluated();
    std::vector<Input> known;
    for (const Value& value : inputs) known.push_back({"", type_of(value), value});
    return values_of(evaluated(graph, std::move(known), held));
  }

  /// The last graph that `kernel` evaluates.
  LastInside watch(const std::function<void()>& kernel) const {
    LastInside last;
    last_ = &last;
    try {
      kernel();
    } catch (...) {
      last_ = nullptr;
      throw;
    }
    last_ = nullptr;
    return last;
  }
  /// Nothing can be evaluated any more.
  void forget() const {
    given_.clear();
    around_.clear();
    known_.clear();
  }
  const OpsetImport& opsets() const { return opsets_; }

  /// Until `stop`, what is said inside goes to `inside`, and values are kept.
  void gather(Inside& inside) { inside_ = &inside; }
  void stop() {
    inside_ = nullptr;
    kept_ = {};
    known_.clear();
  }

 private:
  void require_evaluated() const {
    if (compute_ == Compute::types && inside_ != nullptr)  // a loop may take any time
      fail(Fault::usage, "the graph is not evaluated: its types alone are asked for");
  }

  static std::vector<Value> values_of(const std::vector<Input>& outputs) {
    std::vector<Value> values;
    for (const Input& output : outputs) values.push_back(*output.value);
    return values;
  }

  static std::vector<ValueType> types_of(const std::vector<Input>& outputs) {
    std::vector<ValueType> types;
    for (const Input& output : outputs) types.push_back(output.type);
    return types;
  }

  static std::vector<Input> known_types(std::span<const ValueType> types) {
    std::vector<Input> known;
    for (const ValueType& type : types) known.push_back({"", type});
    return known;
  }

  Tensor dense_of(const Initializer& initializer) const {
    const auto* sparse = std::get_if<SparseTensor>(&initializer.value);
    if (sparse == nullptr) return std::get<Tensor>(initializer.value);
    return at_place([&] { return format("in the initializer '{}'", printable(initializer.name)); },
                    [&] {
                      require_bytes(dense_type(*sparse), options_.max_bytes);
                      return dense(*sparse);
                    });
  }

  /// What is known at first inside a graph.
  Environment environment_of(const Graph& graph, std::vector<Input> inputs) const {
    require(inputs.size() == graph.inputs.size(), "the graph takes {}, but is given {}",
            counted(static_cast<long long>(graph.inputs.size()), "input"), inputs.size());
    Environment environment = around_;
    for (size_t i = 0; i < inputs.size(); ++i) {
      inputs[i].name = graph.inputs[i].name;
      environment.insert_or_assign(inputs[i].name, std::move(inputs[i]));
    }
    for (const Initializer& initializer : graph.initializers) {
      if (const auto* unread = std::get_if<Opaque>(&initializer.value)) throw Error(*unread->why);
      const Tensor tensor = dense_of(initializer);
      environment.insert_or_assign(initializer.name, Input{initializer.name, tensor.type(), tensor});
    }
    return environment;
  }

  std::vector<Input> evaluated(const Graph& graph, std::vector<Input> inputs, std::int64_t held = 0) const {
    if (last_ == nullptr) return evaluate_graph(graph, std::move(inputs), Compute::values, inside_, held);
    Environment environment = environment_of(graph, inputs);
    std::vector<Input> outputs = evaluate_graph(graph, std::move(inputs), Compute::values, inside_, held);
    *last_ = {&graph, std::move(environment), outputs};
    return outputs;
  }

  std::vector<Input> evaluate_graph(const Graph& graph, std::vector<Input> inputs, Compute compute, Inside* inside,
                                    std::int64_t held_beside = 0) const {
    Environment environment = environment_of(graph, std::move(inputs));
    const auto held = std::make_shared<HeldBytes>(environment, held_around_);
    const auto& [names, readers] = known_of(graph);
    const Scope scope{names,   graph.outputs, opsets_, options_,
                      compute, environment,   held,    checked_add(held_beside_, held_beside)};
    require_memory(scope.bytes_held(), options_);
    for (size_t k = 0; k < graph.nodes.size(); ++k) {
      Step step = evaluate(scope, graph.nodes[k]);
      if (inside != nullptr && inside->steps != nullptr) {
        held->add_bytes(told_bytes(step));
        require_told_fits(scope);
      }
      if (inside != nullptr) inside->add(std::move(step));
      scope.release(readers.done_after(k));
    }
    std::vector<Input> outputs;
    for (const ValueInfo& output : graph.outputs) outputs.push_back(environment.find(output.name)->second);
    return outputs;
  }

  static void require_told_fits(const Scope& scope) {
    if (scope.bytes_held() > scope.options.max_bytes)
      fail(Fault::system, kMoreMemory,
           "what is told of the bodies of functions takes, with values, {} bytes, but the limit is {}",
           scope.bytes_held(), scope.options.max_bytes);
  }

  /// What evaluation needs to know of a graph, each time.
  struct Known {
    explicit Known(const Graph& graph) : names(graph), readers(graph, graph.outputs) {}
    const GraphNames names;
    const LastReaders readers;
  };
  const Known& known_of(const Graph& graph) const { return known_.try_emplace(&graph, graph).first->second; }

  const OpsetImport opsets_;
  EvaluationOptions options_;
  Compute compute_;
  const std::shared_ptr<const FunctionOperator> called_ = {};  ///< null: subgraphs of a node are meant
  const std::shared_ptr<const Graph> body_ = {};
  mutable std::vector<Input> given_ = {};  ///< to the body
  const std::function<std::string()> place_ = [this] {
    return format("in the function {}", to_text(called_->function()));
  };
  mutable Environment around_;
  const std::shared_ptr<HeldBytes> held_around_;
  std::int64_t held_beside_ = 0;
  mutable std::map<const Graph*, Known> known_ = {};
  Inside* inside_ = nullptr;
  mutable LastInside* last_ = nullptr;
  mutable std::pair<const Graph*, std::vector<Value>> kept_ = {};
};

/// Whether anybody needs a value that the step gives.
bool is_read(const Step& step, const Scope& scope) {
  return std::ranges::any_of(step.node->outputs, [&](const std::string& output) {
    return scope.names.is_read(output) ||
           std::ranges::find(scope.results, output, &ValueInfo::name) != scope.results.end();
  });
}

/// Whether `infer` takes the values too, which may decide shapes: what they follow from is known, and they are few.
bool folds(const Step& step, const Scope& scope) {
  constexpr std::int64_t kMostElements = 4096, kMostBytes = std::int64_t{64} << 20;
  const Operator& op = step.call.op();
  if (!op.has_kernel() || !is_read(step, scope) || scope.bytes_held() > kMostBytes) return false;
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
    if (error.fault() != Fault::usage && error.fault() != Fault::unsupported && error.fault() != Fault::system) throw;
  }
}

void require_time(const EvaluationOptions& options) {
  if (options.time && std::chrono::steady_clock::now() > options.time->end) fail_of_time(*options.time);
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
  const std::vector<Input> inputs = call_inputs(version.schema, node, scope.environment);
  return with_swap_hint(version, node, inputs, scope.options.readings,
                        [&] { return resolve(version, node, inputs, scope.options.readings); });
}

/// Null where the node has no subgraphs.
std::shared_ptr<NodeSubgraphs> subgraphs_of(const Scope& scope, const Node& node, const Call& call,
                                            std::shared_ptr<const FunctionOperator> called) {
  if (called != nullptr) return std::make_shared<NodeSubgraphs>(scope, std::move(called), call);
  return has_subgraph(node) ? std::make_shared<NodeSubgraphs>(scope, node) : nullptr;
}

/// `called`: the function that the node calls; may be null.
Step evaluate_as(const Version& version, const Scope& scope, const Node& node,
                 const std::shared_ptr<const FunctionOperator>& called) {
  const auto& [op, schema, opset] = version;
  const EvaluationOptions& options = scope.options;
  require_time(options);
  require_inputs_fit(node, scope.bytes_held(), options.max_bytes);
  Step step{&node, opset, resolve_inputs(version, scope, node), {}, {}, {}};
  step.call.set_room(options.max_bytes - std::min(options.max_bytes, scope.bytes_held()));
  Inside inside;
  if (called != nullptr && options.tell_bodies && scope.compute == Compute::types) inside.steps = &step.body;
  const std::shared_ptr<NodeSubgraphs> subgraphs = subgraphs_of(scope, node, step.call, called);
  if (subgraphs != nullptr) {
    subgraphs->gather(inside);
    step.call.set_subgraphs(subgraphs);
  }
  step.types = with_swap_hint(version, node, step.call.inputs(), options.readings,
                              [&] { return version.op.output_types(step.call); });
  inside.steps = nullptr;
  require_promised(step, step.types.size(), "type");
  step.notes = op.notes(step.call);
  check_declared_outputs(scope.names, step);
  std::vector<Value> values;
  const auto compute = [&] {
    values = compute_values(step, options, [&] {
      if (subgraphs != nullptr) subgraphs->stop();
    });
    require_promised(step, values.size(), "value");
    complete_types(step, values);
  };
  if (scope.compute == Compute::values) {
    require_memory(step, scope.bytes_held(), options);
    compute();
  } else if (folds(step, scope)) {
    only_if_it_can_be(compute);
  }
  if (subgraphs != nullptr) subgraphs->stop();
  const bool confirm = scope.compute == Compute::values && std::ranges::all_of(values, [&](const Value& value) {
                         return value.tensor() == nullptr || value.tensor()->count() < options.confirm_readings_below;
                       });
  step.readings = report_readings(step.call, step.types, confirm ? &values : nullptr);
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
  return step;
}

Step evaluate(const Scope& scope, const Node& node) {
  if (const Function* function = called_function(scope.opsets, node, scope.options.readings))
    return at_place([&] { return place_of(node); },
                    [&] {
                      const auto called = std::make_shared<const FunctionOperator>(*function, node, scope.opsets);
                      Step step = evaluate_as(called->version(), scope, node, called);
                      if (const auto differ = called->other_versions(scope.opsets))
                        step.notes.push_back(warning(to_text(*function), *differ));
                      return step;
                    });
  const Version version = version_in_force(scope.opsets, node);
  return at_place([&] { return place_of(node, &version); }, [&] { return evaluate_as(version, scope, node, nullptr); });
}

void require_outputs(const Graph& graph, const Environment& environment) {
  for (const ValueInfo& output : graph.outputs)
    if (!environment.contains(output.name))
      fail(Fault::malformed, "no node gives the graph's output '{}'", printable(output.name));
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

std::vector<Step> evaluate_all(const Graph& graph, Environment& environment, const EvaluationOptions& options,
                               Compute compute) {
  require_known_operators(graph);
  require_known_readings(graph, options.readings);
  require_sound_names(graph, names_of(environment));
  std::vector<Step> steps;
  Evaluation evaluation(graph, environment, options, compute);
  if (compute == Compute::types || options.keep == Keep::all) {
    for (const Node& node : graph.nodes) steps.push_back(evaluation.evaluate(node));
  } else {
    const LastReaders readers(graph, graph.outputs);
    Kept kept(graph, options);
    for (size_t k = 0; k < graph.nodes.size(); ++k) {
      steps.push_back(evaluation.evaluate(graph.nodes[k]));
      kept.decide(steps.back());
      evaluation.forget(kept.without_them(readers.done_after(k)));
    }
  }
  require_outputs(graph, environment);
  return steps;
}

}  // namespace

const Value& value_of(const Environment& environment, const std::string& tensor) {
  const auto known = environment.find(tensor);
  if (known == environment.end() || !known->second.value) fail(Fault::usage, "'{}' has no value", printable(tensor));
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
  const Function* function = called_function(graph.opset_import, node, options.readings);
  const auto called =
      function == nullptr ? nullptr : std::make_shared<const FunctionOperator>(*function, node, graph.opset_import);
  const Version version = called != nullptr ? called->version() : version_in_force(graph.opset_import, node);
  require_inputs_fit(node, HeldBytes(environment).total(), options.max_bytes);
  Call call = resolve(version, node, call_inputs(version.schema, node, environment), options.readings);
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

TimeLimit time_limit(double seconds) {
  return {std::chrono::steady_clock::now() +
              std::chrono::duration_cast<std::chrono::steady_clock::duration>(std::chrono::duration<double>(seconds)),
          seconds};
}

void fail_of_time(const TimeLimit& limit) {
  fail(Fault::system, kMoreTime, "it is not evaluated within {} s", limit.seconds);
}

std::int64_t default_max_bytes() { return physical_memory() / 2; }

}  // namespace opref::run
