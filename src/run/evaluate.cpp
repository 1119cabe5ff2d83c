#include "run/evaluate.h"

#include <algorithm>
#include <chrono>
#include <set>

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

std::int64_t bytes_of(const Value& value) {
  if (value.tensor() != nullptr) return byte_size(value.tensor()->type());
  std::int64_t total = 0;
  if (const auto* sequence = std::get_if<Sequence>(&value))
    for (const Value& element : sequence->elements) total = checked_add(total, bytes_of(element));
  if (const auto* optional = std::get_if<Optional>(&value); optional != nullptr && optional->element != nullptr)
    total = bytes_of(*optional->element);
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

void check_memory(const Environment& environment, std::span<const ValueType> outputs,
                  const EvaluationOptions& options) {
  std::int64_t held = 0;
  for (const auto& [name, known] : environment)
    if (known.value) held = checked_add(held, bytes_of(*known.value));
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

/// Runs the kernel; the counts and the time go into `step`.
std::vector<Value> compute_values(Step& step, const EvaluationOptions& options) {
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
    if (info == nullptr || !step.types[i].has_shape || agrees(*info, step.types[i].tensor)) continue;
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

Step evaluate(const Graph& graph, const Node& node, Environment& environment, const EvaluationOptions& options,
              Compute compute) {
  const std::int64_t opset = opset_in_force(graph, node, options);
  const Operator& op = get_operator(canonical_domain(node.domain), node.op_type);
  return at_place(
      [&] { return place_of(node, &op, opset); },
      [&] {
        Step step{&node, opset, resolve(op, node, opset, call_inputs(op, opset, node, environment), options.readings),
                  {},    {},    {}};
        step.types = op.output_types(step.call);
        require_promised(step, step.types.size(), "type");
        step.notes = op.notes(step.call);
        check_declared_outputs(graph, step);
        std::vector<Value> values;
        if (compute == Compute::values) {
          check_memory(environment, step.types, options);
          values = compute_values(step, options);
          require_promised(step, values.size(), "value");
          complete_types(step, values);
        }
        const bool confirm =
            compute == Compute::values && std::ranges::all_of(values, [&](const Value& value) {
              return value.tensor() == nullptr || value.tensor()->count() < options.confirm_readings_below;
            });
        step.readings = report_readings(step, confirm ? &values : nullptr);
        for (size_t i = 0; i < node.outputs.size(); ++i)
          if (!node.outputs[i].empty())
            environment.insert_or_assign(node.outputs[i], Input{node.outputs[i], step.types[i], take_value(values, i)});
        return step;
      });
}

/// Each name is given once.
void require_sound_names(const Graph& graph) {
  if (graph.outputs.empty()) fail(Fault::malformed, "the graph has no output");
  std::set<std::string_view> given;
  for (const ValueInfo& input : graph.inputs) given.insert(input.name);
  for (const Node& node : graph.nodes)
    for (const std::string& output : node.outputs)
      if (!output.empty() && !given.insert(output).second)
        fail(Fault::malformed, "'{}' is given twice, the second time by {}", printable(output), to_text(node));
}

void require_outputs(const Graph& graph, const Environment& environment) {
  for (const ValueInfo& output : graph.outputs)
    if (!environment.contains(output.name))
      fail(Fault::malformed, "no node gives the graph's output '{}'", printable(output.name));
}

/// The names of chosen readings are those of the graph's operators.
void require_known_readings(const Graph& graph, const ReadingChoices& choices) {
  std::vector<std::string_view> known;
  for (const Node& node : graph.nodes)
    for (const Reading& reading : get_operator(canonical_domain(node.domain), node.op_type).readings())
      known.push_back(reading.name);
  for (const auto& [name, alternative] : choices)
    if (std::ranges::find(known, name) == known.end())
      fail(Fault::usage, "'{}' is not a reading here{}", printable(name), did_you_mean(name, known));
}

std::vector<Step> evaluate_all(const Graph& graph, Environment& environment, const EvaluationOptions& options,
                               Compute compute) {
  require_known_operators(graph, options);
  require_known_readings(graph, options.readings);
  require_sound_names(graph);
  std::vector<Step> steps;
  for (const Node& node : graph.nodes) steps.push_back(evaluate(graph, node, environment, options, compute));
  require_outputs(graph, environment);
  return steps;
}

}  // namespace

std::int64_t opset_in_force(const Graph& graph, const Node& node, const EvaluationOptions& options) {
  const std::string_view domain = canonical_domain(node.domain);
  const bool openvino = domain == "openvino", known = openvino || domain.empty();
  const std::int64_t newest = openvino ? kNewestOpenvinoOpset : kNewestOpset;
  std::int64_t opset = openvino ? 1 : kNewestOpset;
  if (const auto stated = graph.opset_import.find(domain); stated != graph.opset_import.end()) opset = stated->second;
  const bool imports = graph.opset_import.find(domain) != graph.opset_import.end() || graph.opset_import.empty();
  require(imports || options.opset || !known, "the model imports no opset of {}", domain.empty() ? "ai.onnx" : domain);
  if (options.opset && known) opset = *options.opset;
  if (known && opset > newest) {
    fail(Fault::unsupported, "opset {} is newer than this opref knows ({}); --opset {} evaluates it as {}", opset,
         newest, newest, newest);
  }
  return opset;
}

Call resolve_node(const Graph& graph, const Node& node, const Environment& environment,
                  const EvaluationOptions& options) {
  const std::int64_t opset = opset_in_force(graph, node, options);
  const Operator& op = get_operator(canonical_domain(node.domain), node.op_type);
  return resolve(op, node, opset, call_inputs(op, opset, node, environment), options.readings);
}

void require_known_operators(const Graph& graph, const EvaluationOptions& options) {
  for (const Node& node : graph.nodes) {
    at_place(
        [&] { return place_of(node, nullptr, 0); },
        [&] {
          get_operator(canonical_domain(node.domain), node.op_type).schema_for(opset_in_force(graph, node, options));
        });
  }
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
        values.push_back(known->second.tensor());
    if (values.size() == step.types.size()) step.readings = report_readings(step, &values);
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
  for (const std::string& tensor : found->inputs)
    if (!tensor.empty()) one.inputs.push_back(declared(tensor));
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
