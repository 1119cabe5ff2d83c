#include "run/evaluate.h"

#include <algorithm>
#include <chrono>
#include <iterator>
#include <set>
#include <utility>

#include "core/error.h"
#include "io/file.h"

namespace opref {
namespace {

constexpr std::int64_t kNewestOpenvinoOpset = 16;

std::string place_of(const Node& node, const Operator* op, std::int64_t opset) {
  std::string version;
  if (op != nullptr && opset >= op->versions().front().since_version())
    version = format("-{}", op->schema_for(opset).since_version());
  const std::string title = printable(node.op_type) + version;
  return node.name.empty() ? format("in {}", title) : format("in node '{}' ({})", printable(node.name), title);
}

std::vector<Input> call_inputs(const Operator& op, std::int64_t opset, const Node& node,
                               const Environment& environment) {
  std::vector<Input> inputs;
  const auto& formal = op.schema_for(opset).inputs();
  for (size_t i = 0; i < node.inputs.size(); ++i) {
    const std::string& name = node.inputs[i];
    if (name.empty()) {
      inputs.emplace_back();
      continue;
    }
    const auto known = environment.find(name);
    if (known == environment.end()) {
      const std::string_view formal_name = formal.empty() ? "" : OpSchema::formal(formal, i).name;
      fail(Fault::usage, "input {} has no value: give {}=FILE",
           name == formal_name ? format("'{}'", name) : format("'{}' ({})", printable(name), formal_name),
           printable(name));
    }
    inputs.push_back(known->second);
  }
  return inputs;
}

const void* elements_of(const Tensor& tensor) {
  return tensor.dtype() == DType::string ? static_cast<const void*>(tensor.strings().data()) : tensor.bytes().data();
}

/// What the environment's values take. Sequences share their tensors with those that they were made of.
std::int64_t bytes_held(const Environment& environment) {
  std::int64_t total = 0;
  std::set<const void*> counted;
  for (const auto& [name, known] : environment) {
    if (!known.value) continue;
    const bool shares = known.value->tensor() == nullptr;
    for (const Tensor& tensor : tensors_in(*known.value))
      if (!shares || counted.insert(elements_of(tensor)).second) total = checked_add(total, byte_size(tensor.type()));
  }
  return total;
}

/// Of the outputs whose shape is known before they are computed.
std::int64_t total_bytes(std::span<const ValueType> types) {
  std::int64_t total = 0;
  for (const ValueType& type : types)
    if (type.has_shape) total = checked_add(total, byte_size(type.tensor));
  return total;
}

/// What a thread may work in, at most; of small tensors it is hardly more than they take themselves.
constexpr std::int64_t kMostScratch = std::int64_t{32} << 20;

constexpr std::string_view kOption = "(--max-bytes)";

void check_memory(std::int64_t held, std::span<const ValueType> outputs, const EvaluationOptions& options) {
  const std::int64_t tensors = checked_add(held, total_bytes(outputs));
  const std::int64_t needed = checked_add(tensors, checked_multiply(options.threads, std::min(tensors, kMostScratch)));
  if (needed > options.max_bytes) {
    fail(Fault::system,
         "the output {} needs {} bytes, with the inputs and scratch memory {} bytes, but the limit is {} {}",
         join_text(outputs, ", "), total_bytes(outputs), needed, options.max_bytes, kOption);
  }
}

/// What the alternative's result is against `values`, which may not be known (null).
Effect effect_on(const Step& step, const std::vector<Value>* values, const Reading& reading,
                 std::string_view alternative) {
  const Effect foreseen = effect(reading, step.call, alternative);
  if (foreseen != Effect::possible || values == nullptr) return foreseen;
  try {
    const Call other = step.call.with_reading(reading.name, alternative);
    return std::ranges::equal(other.op().kernel(other, step.types), *values, same_bits) ? Effect::none
                                                                                        : Effect::certain;
  } catch (const Error& error) {
    if (error.fault() != Fault::invalid) throw;
    return Effect::certain;  // refusing the values is another result
  }
}

/// `values` is null in `infer` and for outputs too large to be computed again.
std::vector<ReadingReport> report_readings(const Step& step, const std::vector<Value>* values) {
  std::vector<ReadingReport> reports;
  const bool has_values = std::ranges::all_of(
      step.call.inputs(), [](const Input& input) { return input.name.empty() || input.value.has_value(); });
  for (const Reading& reading : step.call.op().readings()) {
    ReadingReport report{
        reading.name, step.call.reading(reading.name), "", step.call.reading_selected(reading.name), {}, {}};
    if (reading.stands_for != nullptr && has_values) report.stands_for = reading.stands_for(step.call);
    for (const std::string_view alternative : reading.alternatives) {
      if (alternative == report.stands_for) continue;
      const Effect found = effect_on(step, values, reading, alternative);
      if (found == Effect::certain) report.others.push_back(alternative);
      if (found == Effect::possible) report.possible.push_back(alternative);
    }
    if (report.others.size() + report.possible.size() > 0) reports.push_back(std::move(report));
  }
  return reports;
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
  for (int k = 0; k < options.repeat; ++k) {
    values.clear();
    Stats stats;
    step.call.set_numerics({.exact_only = options.exact_only, .stats = &stats, .threads = options.threads});
    const auto start = std::chrono::steady_clock::now();
    values = step.call.op().kernel(step.call, step.types);
    seconds.push_back(std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
    step.estimated = stats.estimated;
    step.exact = stats.exact;
    if (k == 0) after_first();
  }
  step.call.set_numerics({.exact_only = options.exact_only, .stats = nullptr, .threads = options.threads});
  step.seconds = seconds.front();
  if (seconds.size() > 1) step.repeated_seconds = median({seconds.begin() + 1, seconds.end()});
  return values;
}

/// The operator decides the types. OpenVINO's layers must state the same; an ONNX graph that declares others is warned
/// of.
void check_declared_outputs(const Graph& graph, Step& step) {
  for (size_t i = 0; i < step.node->outputs.size(); ++i) {
    const ValueInfo* info = declaration(graph, step.node->outputs[i]);
    if (info == nullptr || agrees(*info, step.types[i])) continue;
    const std::string sentence = format("is declared as {}, but is {}", to_text(*info), step.types[i]);
    require(step.node->domain != "openvino", "the output '{}' {}", printable(info->name), sentence);
    step.notes.push_back({Note::Level::warning, step.node->outputs[i], sentence});
  }
}

/// The value of output `i`; nothing where none was computed.
std::optional<Value> take_value(std::vector<Value>& values, size_t i) {
  return i < values.size() ? std::optional(std::move(values[i])) : std::nullopt;
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

enum class Compute : std::uint8_t { types, values };

/// Where nodes are evaluated: their graph, and what is known there.
struct Scope {
  const Graph& graph;
  const OpsetImport& opsets;  ///< the model's, in its subgraphs too
  const EvaluationOptions& options;
  Compute compute;
  Environment& environment;
  std::int64_t held_around = 0;  ///< bytes of values around a subgraph that are not in `environment`
};

std::int64_t opset_of(const OpsetImport& opsets, const Node& node, const EvaluationOptions& options);
Step evaluate(const Scope& scope, const Node& node);

/// What the nodes of a node's subgraphs have to say: it is said of the node itself.
struct Inside {
  std::vector<Note> notes;
  std::vector<ReadingReport> readings;
  std::int64_t estimated = 0, exact = 0;

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
    estimated += step.estimated;
    exact += step.exact;
  }
};

bool has_subgraph(const Node& node) {
  return std::ranges::any_of(node.attributes, [](const Attribute& a) { return subgraph(a) != nullptr; });
}

/// Evaluates a node's subgraphs, with what they read from around the node; it outlives the environment that it was made
/// from. Of a graph without inputs whose values are wanted `types` keeps them, since they decide shapes inside.
class NodeSubgraphs : public Subgraphs {
 public:
  NodeSubgraphs(const Scope& scope, const Node& node)
      : opsets_(scope.opsets), options_(scope.options), compute_(scope.compute) {
    options_.repeat = 1;
    for (const std::string& name : names_read(node))
      if (const auto known = scope.environment.find(name); known != scope.environment.end()) around_.insert(*known);
    held_around_ = checked_add(scope.held_around, bytes_held(scope.environment)) - bytes_held(around_);
  }

  std::vector<ValueType> types(const Graph& graph, std::span<const ValueType> inputs) const override {
    std::vector<Input> known;
    for (const ValueType& type : inputs) known.push_back({"", type});
    const bool compute_values = compute_ == Compute::values && inputs.empty();
    const std::vector<Input> outputs = evaluate_graph(graph, known, compute_values ? Compute::values : Compute::types);
    std::vector<ValueType> types;
    for (const Input& output : outputs) types.push_back(output.type);
    if (compute_values && inside_ != nullptr) kept_ = {&graph, values_of(outputs)};
    return types;
  }

  std::vector<Value> values(const Graph& graph, std::span<const Value> inputs) const override {
    if (kept_.first == &graph && inputs.empty()) return std::exchange(kept_, {}).second;
    std::vector<Input> known;
    for (const Value& value : inputs) known.push_back({"", type_of(value), value});
    return values_of(evaluate_graph(graph, known, Compute::values));
  }

  /// Until `stop`, what is said inside goes to `inside`, and values are kept.
  void gather(Inside& inside) { inside_ = &inside; }
  void stop() {
    inside_ = nullptr;
    kept_ = {};
  }

 private:
  static std::vector<Value> values_of(const std::vector<Input>& outputs) {
    std::vector<Value> values;
    for (const Input& output : outputs) values.push_back(*output.value);
    return values;
  }

  /// What is known at first inside a graph.
  Environment environment_of(const Graph& graph, std::vector<Input>& inputs) const {
    require(inputs.size() == graph.inputs.size(), "the graph takes {}, but is given {}",
            counted(static_cast<long long>(graph.inputs.size()), "input"), inputs.size());
    Environment environment = around_;
    for (size_t i = 0; i < inputs.size(); ++i) {
      inputs[i].name = graph.inputs[i].name;
      environment.insert_or_assign(inputs[i].name, std::move(inputs[i]));
    }
    for (const Initializer& initializer : graph.initializers) {
      if (const auto* unread = std::get_if<Opaque>(&initializer.value)) throw Error(*unread->why);
      const auto& tensor = std::get<Tensor>(initializer.value);
      environment.insert_or_assign(initializer.name, Input{initializer.name, tensor.type(), tensor});
    }
    return environment;
  }

  std::vector<Input> evaluate_graph(const Graph& graph, std::vector<Input>& inputs, Compute compute) const {
    Environment environment = environment_of(graph, inputs);
    const Scope scope{graph, opsets_, options_, compute, environment, held_around_};
    for (const Node& node : graph.nodes) {
      Step step = evaluate(scope, node);
      if (inside_ != nullptr) inside_->add(std::move(step));
    }
    std::vector<Input> outputs;
    for (const ValueInfo& output : graph.outputs) outputs.push_back(environment.find(output.name)->second);
    return outputs;
  }

  const OpsetImport opsets_;
  EvaluationOptions options_;
  Compute compute_;
  Environment around_;
  std::int64_t held_around_ = 0;
  Inside* inside_ = nullptr;
  mutable std::pair<const Graph*, std::vector<Value>> kept_ = {};
};

Step evaluate_known(const Scope& scope, const Node& node, const Operator& op, std::int64_t opset) {
  const EvaluationOptions& options = scope.options;
  Step step{&node, opset, resolve(op, node, opset, call_inputs(op, opset, node, scope.environment), options.readings),
            {},    {},    {}};
  Inside inside;
  std::shared_ptr<NodeSubgraphs> subgraphs;
  if (has_subgraph(node)) {
    subgraphs = std::make_shared<NodeSubgraphs>(scope, node);
    subgraphs->gather(inside);
    step.call.set_subgraphs(subgraphs);
  }
  step.types = op.output_types(step.call);
  require_promised(step, step.types.size(), "type");
  step.notes = op.notes(step.call);
  check_declared_outputs(scope.graph, step);
  std::vector<Value> values;
  if (scope.compute == Compute::values) {
    check_memory(checked_add(scope.held_around, bytes_held(scope.environment)), step.types, options);
    values = compute_values(step, options, [&] {
      if (subgraphs != nullptr) subgraphs->stop();
    });
    require_promised(step, values.size(), "value");
    complete_types(step, values);
  }
  if (subgraphs != nullptr) subgraphs->stop();
  const bool confirm = scope.compute == Compute::values && std::ranges::all_of(values, [&](const Value& value) {
                         return value.tensor() == nullptr || value.tensor()->count() < options.confirm_readings_below;
                       });
  step.readings = report_readings(step, confirm ? &values : nullptr);
  std::ranges::move(inside.notes, std::back_inserter(step.notes));
  std::ranges::move(inside.readings, std::back_inserter(step.readings));
  step.estimated += inside.estimated;
  step.exact += inside.exact;
  for (size_t i = 0; i < node.outputs.size(); ++i)
    if (!node.outputs[i].empty())
      scope.environment.insert_or_assign(node.outputs[i], Input{node.outputs[i], step.types[i], take_value(values, i)});
  return step;
}

Step evaluate(const Scope& scope, const Node& node) {
  const std::int64_t opset = opset_of(scope.opsets, node, scope.options);
  const Operator& op = get_operator(canonical_domain(node.domain), node.op_type);
  return at_place([&] { return place_of(node, &op, opset); }, [&] { return evaluate_known(scope, node, op, opset); });
}

/// Runs `visit` with each subgraph of the node, at its place.
template <class Visit>
void each_subgraph(const Node& node, const Visit& visit) {
  for (const Attribute& attribute : node.attributes)
    if (const Graph* graph = subgraph(attribute))
      at_place([&] { return format("in {}", printable(attribute.name)); }, [&] { visit(*graph); });
}

/// The names that a graph and those around it have given so far.
struct GivenNames {
  const GivenNames* around = nullptr;
  std::set<std::string_view> names = {};

  bool contains(std::string_view name) const {
    return names.contains(name) || (around != nullptr && around->contains(name));
  }
  void give(std::string_view name, const std::string& giver) {
    if (!name.empty() && !names.insert(name).second)
      fail(Fault::malformed, "'{}' is given twice, the second time by {}", printable(name), giver);
  }
};

/// Names are given once, before they are read, and hide none of those around the subgraph.
void require_sound_names_inside(const Graph& graph, const GivenNames& around) {
  if (graph.outputs.empty()) fail(Fault::malformed, "the graph has no output");
  GivenNames given{&around};
  const auto give = [&](std::string_view name, const std::string& giver) {
    if (around.contains(name))
      fail(Fault::malformed, "'{}' is given by {}, but is a name around the subgraph already", printable(name), giver);
    given.give(name, giver);
  };
  for (const ValueInfo& input : graph.inputs) give(input.name, "an input");
  for (const Initializer& initializer : graph.initializers) give(initializer.name, "an initializer");
  for (const Node& node : graph.nodes) {
    at_place([&] { return place_of(node, nullptr, 0); },
             [&] {
               for (const std::string& name : node.inputs)
                 if (!name.empty() && !given.contains(name))
                   fail(Fault::malformed, "'{}' is given neither before this node nor around its graph",
                        printable(name));
               each_subgraph(node, [&](const Graph& inner) { require_sound_names_inside(inner, given); });
             });
    for (const std::string& output : node.outputs) give(output, to_text(node));
  }
  for (const ValueInfo& output : graph.outputs)
    if (!given.names.contains(output.name))
      fail(Fault::malformed, "no node gives the graph's output '{}'", printable(output.name));
}

/// Each name is given once.
void require_sound_names(const Graph& graph, const Environment& environment) {
  if (graph.outputs.empty()) fail(Fault::malformed, "the graph has no output");
  GivenNames bound;
  for (const auto& [name, known] : environment) bound.names.insert(name);
  GivenNames given{&bound};
  for (const ValueInfo& input : graph.inputs) given.names.insert(input.name);
  for (const Node& node : graph.nodes) {
    at_place([&] { return place_of(node, nullptr, 0); },
             [&] { each_subgraph(node, [&](const Graph& inner) { require_sound_names_inside(inner, given); }); });
    for (const std::string& output : node.outputs) given.give(output, to_text(node));
  }
}

void require_outputs(const Graph& graph, const Environment& environment) {
  for (const ValueInfo& output : graph.outputs)
    if (!environment.contains(output.name))
      fail(Fault::malformed, "no node gives the graph's output '{}'", printable(output.name));
}

void add_readings(const Graph& graph, std::vector<std::string_view>& known) {
  for (const Node& node : graph.nodes) {
    for (const Reading& reading : get_operator(canonical_domain(node.domain), node.op_type).readings())
      known.push_back(reading.name);
    each_subgraph(node, [&](const Graph& inner) { add_readings(inner, known); });
  }
}

/// The names of chosen readings are those of the graph's operators.
void require_known_readings(const Graph& graph, const ReadingChoices& choices) {
  std::vector<std::string_view> known;
  add_readings(graph, known);
  for (const auto& [name, alternative] : choices)
    if (std::ranges::find(known, name) == known.end())
      fail(Fault::usage, "'{}' is not a reading here{}", printable(name), did_you_mean(name, known));
}

void require_known_operators(const Graph& graph, const OpsetImport& opsets, const EvaluationOptions& options) {
  for (const Node& node : graph.nodes)
    at_place([&] { return place_of(node, nullptr, 0); },
             [&] {
               const Operator& op = get_operator(canonical_domain(node.domain), node.op_type);
               op.schema_for(opset_of(opsets, node, options));
               each_subgraph(node, [&](const Graph& inner) { require_known_operators(inner, opsets, options); });
             });
}

std::vector<Step> evaluate_all(const Graph& graph, Environment& environment, const EvaluationOptions& options,
                               Compute compute) {
  require_known_operators(graph, options);
  require_known_readings(graph, options.readings);
  require_sound_names(graph, environment);
  std::vector<Step> steps;
  const Scope scope{graph, graph.opset_import, options, compute, environment};
  for (const Node& node : graph.nodes) steps.push_back(evaluate(scope, node));
  require_outputs(graph, environment);
  return steps;
}

std::int64_t opset_of(const OpsetImport& opsets, const Node& node, const EvaluationOptions& options) {
  const std::string_view domain = canonical_domain(node.domain);
  const bool openvino = domain == "openvino", known = openvino || domain.empty();
  const std::int64_t newest = openvino ? kNewestOpenvinoOpset : kNewestOpset;
  std::int64_t opset = openvino ? 1 : kNewestOpset;
  const auto stated = opsets.find(domain);
  if (stated != opsets.end()) opset = stated->second;
  const bool imports = stated != opsets.end() || opsets.empty();
  require(imports || options.opset || !known, "the model imports no opset of {}", domain.empty() ? "ai.onnx" : domain);
  if (options.opset && known) opset = *options.opset;
  if (known && opset > newest) {
    fail(Fault::unsupported, "opset {} is newer than this opref knows ({}); --opset {} evaluates it as {}", opset,
         newest, newest, newest);
  }
  return opset;
}

}  // namespace

std::int64_t opset_in_force(const Graph& graph, const Node& node, const EvaluationOptions& options) {
  return opset_of(graph.opset_import, node, options);
}

Call resolve_node(const Graph& graph, const Node& node, const Environment& environment,
                  const EvaluationOptions& options) {
  const std::int64_t opset = opset_in_force(graph, node, options);
  const Operator& op = get_operator(canonical_domain(node.domain), node.op_type);
  Call call = resolve(op, node, opset, call_inputs(op, opset, node, environment), options.readings);
  if (has_subgraph(node)) {
    Environment known = environment;
    call.set_subgraphs(
        std::make_shared<NodeSubgraphs>(Scope{graph, graph.opset_import, options, Compute::types, known}, node));
  }
  return call;
}

void require_known_operators(const Graph& graph, const EvaluationOptions& options) {
  require_known_operators(graph, graph.opset_import, options);
}

std::vector<Step> infer(const Graph& graph, Environment& environment, const EvaluationOptions& options) {
  return evaluate_all(graph, environment, options, Compute::types);
}

std::vector<Step> run(const Graph& graph, Environment& environment, const EvaluationOptions& options) {
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
    std::vector<ReadingReport> reports = report_readings(step, &values);
    for (ReadingReport& report : step.readings)
      if (std::ranges::find(step.call.op().readings(), report.name, &Reading::name) == step.call.op().readings().end())
        reports.push_back(std::move(report));
    step.readings = std::move(reports);
  }
}

Graph only_node(const Graph& graph, std::string_view name) {
  const auto named = [name](const Node& node) {
    return node.name == name || std::ranges::find(node.outputs, name) != node.outputs.end();
  };
  const auto found = std::ranges::find_if(graph.nodes, named);
  if (found == graph.nodes.end()) {
    std::vector<std::string_view> names;
    for (const Node& node : graph.nodes) {
      if (!node.name.empty()) names.push_back(node.name);
      names.insert(names.end(), node.outputs.begin(), node.outputs.end());
    }
    fail(Fault::usage, "no node has the name or an output '{}'{}", printable(name), did_you_mean(name, names));
  }
  const auto declared = [&graph](const std::string& tensor) {
    const ValueInfo* info = declaration(graph, tensor);
    return info == nullptr ? ValueInfo{tensor, "", {}, {}} : *info;
  };
  Graph one{graph.name, {*found}, {}, {}, {}, graph.opset_import};
  std::set<std::string, std::less<>> read = names_read(*found);
  const auto take = [&](const std::string& tensor) {
    if (read.erase(tensor) != 0) one.inputs.push_back(declared(tensor));
  };
  std::ranges::for_each(found->inputs, take);
  const std::vector<std::string> inside(read.begin(), read.end());
  std::ranges::for_each(inside, take);
  for (const std::string& tensor : found->outputs)
    if (!tensor.empty()) one.outputs.push_back(declared(tensor));
  return one;
}

std::string to_text(const ReadingReport& report) {
  std::string text = format("reading {} = {}", report.name, report.in_force);
  if (!report.stands_for.empty() && report.stands_for != report.in_force)
    text += format(" (here: {})", report.stands_for);
  text += report.others.empty() ? " may matter" : " decides this result";
  if (!report.others.empty())
    text +=
        format("; {} {} another result", join_text(report.others, ", "), report.others.size() == 1 ? "gives" : "give");
  if (!report.possible.empty()) text += format("; {} may give another result", join_text(report.possible, ", "));
  return text;
}

bool is_memory_limit(const Error& error) {
  return error.fault() == Fault::system && error.message().ends_with(kOption);
}

std::int64_t default_max_bytes() { return physical_memory() / 2; }

}  // namespace opref
