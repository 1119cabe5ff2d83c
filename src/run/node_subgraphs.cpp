// SPDX-License-Identifier: Apache-2.0
#include "run/node_subgraphs.h"

#include <algorithm>

#include "core/error.h"
#include "run/sound_names.h"
#include "schema/names_read.h"
#include "schema/sparse.h"
#include "system/machine_error.h"

namespace opref::run {

void Scope::release(std::span<const std::string> unread) const {
  for (const std::string& name : unread) {
    const auto known = environment.find(name);
    if (known == environment.end() || !known->second.value) continue;
    held->remove(*known->second.value);
    known->second.value = {};
  }
}

std::int64_t told_bytes(std::span<const Step> steps) {
  constexpr std::int64_t kText = 1024;  // of a step
  std::int64_t total = 0;
  for (const Step& step : steps) {
    const size_t each = step.call.inputs().size() * sizeof(Input) + step.types.size() * sizeof(ValueType);
    const auto own = static_cast<std::int64_t>(sizeof(Step) + each) + kText;
    total = checked_add(total, checked_add(own, told_bytes(step.body)));
  }
  return total;
}

void Inside::add(Step step) {
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

bool has_subgraph(const Node& node) {
  return std::ranges::any_of(node.attributes, [](const Attribute& a) { return subgraph(a) != nullptr; });
}

namespace {

bool has_value(const Input& input) { return input.value.has_value(); }

std::vector<Value> values_of(const std::vector<Input>& outputs) {
  std::vector<Value> values;
  for (const Input& output : outputs) values.push_back(*output.value);
  return values;
}

std::vector<ValueType> types_of(const std::vector<Input>& outputs) {
  std::vector<ValueType> types;
  for (const Input& output : outputs) types.push_back(output.type);
  return types;
}

std::vector<Input> known_types(std::span<const ValueType> types) {
  std::vector<Input> known;
  for (const ValueType& type : types) known.push_back({"", type});
  return known;
}

void require_told_fits(const Scope& scope) {
  if (scope.bytes_held() > scope.options.max_bytes)
    fail(Fault::system, kMoreMemory,
         "what is told of the bodies of functions takes, with values, {} bytes, but the limit is {}",
         scope.bytes_held(), scope.options.max_bytes);
}

}  // namespace

NodeSubgraphs::NodeSubgraphs(const Scope& scope, const Node& node)
    : opsets_(scope.opsets),
      options_(scope.options),
      compute_(scope.compute),
      held_around_(scope.held),
      held_beside_(scope.held_beside) {
  options_.repeat = 1;
  options_.before_value = {};
  each_name_read(node, [&](const std::string& name) {
    if (const auto known = scope.environment.find(name); known != scope.environment.end()) around_.insert(*known);
  });
}

NodeSubgraphs::NodeSubgraphs(const Scope& scope, std::shared_ptr<const FunctionOperator> called, const Call& call)
    : opsets_(called->imports()),
      options_(scope.options),
      compute_(scope.compute),
      called_(std::move(called)),
      body_(called_->body(call)),
      held_around_(scope.held),
      held_beside_(scope.held_beside) {
  options_.repeat = 1;
  options_.before_value = {};
  for (const Input& input : call.inputs())
    if (!input.name.empty()) given_.push_back(input);
}

std::vector<ValueType> NodeSubgraphs::body_types() const {
  return at_place(place_, [&] {
    const std::vector<Input> outputs = evaluate_graph(*body_, given_, compute_, inside_);
    if (inside_ != nullptr && std::ranges::all_of(outputs, has_value)) kept_ = {body_.get(), values_of(outputs)};
    return types_of(outputs);
  });
}

std::vector<Value> NodeSubgraphs::body_values() const {
  if (kept_.first == body_.get()) return std::exchange(kept_, {}).second;
  require_evaluated();
  return at_place(place_, [&] { return values_of(evaluated(*body_, given_)); });
}

std::vector<ValueType> NodeSubgraphs::types(const Graph& graph, std::span<const ValueType> inputs) const {
  const Compute compute = inputs.empty() ? compute_ : Compute::types;
  const std::vector<Input> outputs = evaluate_graph(graph, known_types(inputs), compute, inside_);
  if (inputs.empty() && inside_ != nullptr && std::ranges::all_of(outputs, has_value))
    kept_ = {&graph, values_of(outputs)};
  return types_of(outputs);
}

std::vector<ValueType> NodeSubgraphs::inferred(const Graph& graph, std::span<const ValueType> inputs) const {
  auto known = std::ranges::find_if(
      inferred_, [&](const Inferred& one) { return one.graph == &graph && std::ranges::equal(one.inputs, inputs); });
  if (known == inferred_.end())
    known = inferred_.insert(known, {&graph, {inputs.begin(), inputs.end()}, infer_now(graph, inputs)});
  if (const auto* why = std::get_if<Error>(&known->outputs)) throw Error(*why);
  return std::get<std::vector<ValueType>>(known->outputs);
}

/// The types or why there are none. What lies in the machine, or takes too much, is thrown.
std::variant<std::vector<ValueType>, Error> NodeSubgraphs::infer_now(const Graph& graph,
                                                                     std::span<const ValueType> inputs) const {
  try {
    return types_of(evaluate_graph(graph, known_types(inputs), Compute::types, nullptr));
  } catch (const Error& error) {
    pass_on(error);
    if (error.fault() == Fault::system) throw;
    return error;
  }
}

std::vector<Value> NodeSubgraphs::values(const Graph& graph, std::span<const Value> inputs, std::int64_t held) const {
  if (kept_.first == &graph && inputs.empty()) return std::exchange(kept_, {}).second;
  require_evaluated();
  std::vector<Input> known;
  for (const Value& value : inputs) known.push_back({"", type_of(value), value});
  return values_of(evaluated(graph, std::move(known), held));
}

LastInside NodeSubgraphs::watch(const std::function<void()>& kernel) const {
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

void NodeSubgraphs::forget() const {
  given_.clear();
  around_.clear();
  counted_ = {};
  known_.clear();
  inferred_.clear();
}

void NodeSubgraphs::stop() {
  inside_ = nullptr;
  kept_ = {};
  counted_ = {};
  known_.clear();
}

void NodeSubgraphs::require_evaluated() const {
  if (compute_ == Compute::types && inside_ != nullptr)  // a loop may take any time
    fail(Fault::usage, "the graph is not evaluated: its types alone are asked for");
}

Tensor NodeSubgraphs::dense_of(const Initializer& initializer) const {
  const auto* sparse = std::get_if<SparseTensor>(&initializer.value);
  if (sparse == nullptr) return std::get<Tensor>(initializer.value);
  return at_place([&] { return format("in the initializer '{}'", printable(initializer.name)); },
                  [&] {
                    require_bytes(dense_type(*sparse), options_.max_bytes);
                    return dense(*sparse);
                  });
}

Environment NodeSubgraphs::environment_of(const Graph& graph, std::vector<Input> inputs) const {
  if (inputs.size() != graph.inputs.size())
    fail(Fault::invalid, "the graph takes {}, but is given {}",
         counted(static_cast<long long>(graph.inputs.size()), "input"), inputs.size());
  Environment environment = around_;
  for (size_t i = 0; i < inputs.size(); ++i) {
    inputs[i].name = graph.inputs[i].name;
    if (inputs[i].value) take_declared_form(graph.inputs[i], *inputs[i].value, inputs[i].type);
    environment.insert_or_assign(inputs[i].name, std::move(inputs[i]));
  }
  for (const Initializer& initializer : graph.initializers) {
    if (const auto* unread = std::get_if<Opaque>(&initializer.value)) throw Error(*unread->why);
    const Tensor tensor = dense_of(initializer);
    environment.insert_or_assign(initializer.name, Input{initializer.name, tensor.type(), tensor});
  }
  return environment;
}

std::vector<Input> NodeSubgraphs::evaluated(const Graph& graph, std::vector<Input> inputs, std::int64_t held) const {
  if (last_ == nullptr) return evaluate_graph(graph, std::move(inputs), Compute::values, inside_, held);
  Environment environment = environment_of(graph, inputs);
  std::vector<Input> outputs = evaluate_graph(graph, std::move(inputs), Compute::values, inside_, held);
  *last_ = {&graph, std::move(environment), outputs};
  return outputs;
}

std::shared_ptr<HeldBytes> NodeSubgraphs::count(const Environment& environment) const {
  const auto [last, values] = std::exchange(counted_, {});
  const auto held = last != nullptr ? last : std::make_shared<HeldBytes>(held_around_);
  for (const auto& [name, known] : environment)
    if (known.value) held->add(*known.value);
  for (const Value& value : values) held->remove(value);
  return held;
}

void NodeSubgraphs::count_given(std::shared_ptr<HeldBytes> held, const Environment& environment,
                                std::vector<Value> values) const {
  for (const Value& value : values) held->add(value);
  for (const auto& [name, known] : environment)
    if (known.value) held->remove(*known.value);
  counted_ = {std::move(held), std::move(values)};
}

std::vector<Input> NodeSubgraphs::evaluate_graph(const Graph& graph, std::vector<Input> inputs, Compute compute,
                                                 Inside* inside, std::int64_t held_beside) const {
  Environment environment = environment_of(graph, std::move(inputs));
  const std::shared_ptr<HeldBytes> held = count(environment);
  const auto& [names, readers] = known_of(graph);
  const Scope scope{names,
                    graph.outputs,
                    opsets_,
                    options_,
                    compute,
                    environment,
                    held,
                    checked_add(held_beside_, held_beside),
                    inside != nullptr};
  require_memory(scope.bytes_held(), options_);
  for (size_t k = 0; k < graph.nodes.size(); ++k) {
    Step step = evaluate(scope, graph.nodes[k]);
    if (inside != nullptr && inside->steps != nullptr) {
      held->add_bytes(told_bytes({&step, 1}));
      require_told_fits(scope);
    }
    if (inside != nullptr) inside->add(std::move(step));
    scope.release(readers.done_after(k));
  }
  std::vector<Input> outputs;
  for (const ValueInfo& output : graph.outputs) outputs.push_back(output_of(environment, output.name));
  if (compute == Compute::values) count_given(held, environment, values_of(outputs));
  return outputs;
}

std::shared_ptr<NodeSubgraphs> subgraphs_of(const Scope& scope, const Node& node, const Call& call,
                                            std::shared_ptr<const FunctionOperator> called) {
  if (called != nullptr) return std::make_shared<NodeSubgraphs>(scope, std::move(called), call);
  return has_subgraph(node) ? std::make_shared<NodeSubgraphs>(scope, node) : nullptr;
}

}  // namespace opref::run
