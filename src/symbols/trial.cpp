// SPDX-License-Identifier: Apache-2.0
#include "symbols/trial.h"

#include <algorithm>
#include <charconv>
#include <set>

#include "core/error.h"
#include "run/load_inputs.h"
#include "run/readings.h"
#include "run/sound_names.h"
#include "symbols/draws.h"
#include "system/deadline.h"
#include "system/machine_error.h"
#include "system/parallel.h"

namespace opref::symbols {
namespace {

constexpr int kMostMisses = 8;

/// Depends on the numbers alone.
std::uint64_t key_of(const Assignment& sizes, size_t node) {
  std::uint64_t key = 0x9E3779B97F4A7C15U + node;
  for (const std::int64_t size : sizes) key = (key ^ static_cast<std::uint64_t>(size)) * 0xBF58476D1CE4E5B9U;
  return key ^ (key >> 31U);
}

TensorType type_at(const OpenInput& input, const Assignment& sizes) {
  TensorType type{input.dtype, {}};
  for (const Expression& size : input.sizes) type.shape.push_back(size.at(sizes));
  return type;
}

/// Collects the whole numbers that stand in a graph.
class Numbers {
 public:
  void add(const Graph& graph) {
    for (const Initializer& initializer : graph.initializers)
      if (const auto* tensor = std::get_if<Tensor>(&initializer.value)) add(*tensor);
    for (const Node& node : graph.nodes)
      for (const Attribute& attribute : node.attributes) add(attribute);
  }

  void add(const Tensor& tensor) {
    constexpr std::int64_t kMost = 64;
    if (tensor.count() > kMost) return;
    if (tensor.dtype() == DType::int64)
      for (const std::int64_t x : tensor.values<std::int64_t>()) add(x);
    if (tensor.dtype() == DType::int32)
      for (const std::int32_t x : tensor.values<std::int32_t>()) add(std::int64_t{x});
  }

  void add(std::int64_t number) {
    constexpr std::int64_t kMost = std::int64_t{1} << 20;
    if (number < -kMost || number > kMost) return;
    if (const std::int64_t size = number < 0 ? -number : number; size >= 2) numbers_.insert(size);
  }

  std::vector<std::int64_t> list() const { return {numbers_.begin(), numbers_.end()}; }

 private:
  void add(const Attribute& attribute) {
    if (const Graph* graph = subgraph(attribute)) return add(*graph);
    if (const auto* untyped = std::get_if<Untyped>(&attribute.value))
      for (const UntypedItem& item : untyped->items) {
        std::int64_t number = 0;
        const auto [end, error] = std::from_chars(item.text.data(), item.text.data() + item.text.size(), number);
        if (error == std::errc() && end == item.text.data() + item.text.size()) add(number);
      }
    const auto* stated = std::get_if<AttributeValue>(&attribute.value);
    if (stated == nullptr) return;
    if (const auto* number = std::get_if<std::int64_t>(&stated->value)) add(*number);
    if (const auto* list = std::get_if<std::vector<std::int64_t>>(&stated->value))
      for (const std::int64_t number : *list) add(number);
    if (const auto* tensor = std::get_if<Tensor>(&stated->value)) add(*tensor);
  }

  std::set<std::int64_t> numbers_;
};

/// The numbers of a tensor that has few, all of them whole.
std::optional<Values> few_numbers(const Input& known) {
  constexpr std::int64_t kMost = 16;
  const Tensor* tensor = known.is_computed && known.value ? known.value->tensor() : nullptr;
  if (tensor == nullptr || tensor->count() > kMost) return std::nullopt;
  const auto numbers = [](const auto& list) { return Values(list.begin(), list.end()); };
  if (tensor->dtype() == DType::int64) return numbers(tensor->values<std::int64_t>());
  if (tensor->dtype() == DType::int32) return numbers(tensor->values<std::int32_t>());
  return std::nullopt;
}

}  // namespace

std::string label(const Node& node) {
  const auto named = std::ranges::find_if(node.outputs, [](const std::string& output) { return !output.empty(); });
  const std::string name = !node.name.empty() ? node.name : named == node.outputs.end() ? "" : *named;
  return format("{} '{}'", printable(node.op_type), printable(name));
}

Trials::Trials(Bound bound, std::vector<OpenInput> inputs)
    : bound_(std::move(bound)), inputs_(std::move(inputs)), misses_(bound_.graph.nodes.size()) {
  require_known_readings(bound_.graph, bound_.options.readings);
  given_ = load_inputs(bound_, bound_.options, warnings_);
  std::set<std::string_view> names;
  for (const auto& [name, known] : given_) names.insert(name);
  require_sound_names(bound_.graph, names);
  evaluate_fixed();
  for (const size_t k : varying_)
    for (const std::string& output : bound_.graph.nodes[k].outputs)
      if (!output.empty() && places_.emplace(output, tensors_.size()).second) tensors_.push_back(output);
}

void Trials::evaluate_fixed() {
  const std::vector<Node>& nodes = bound_.graph.nodes;
  std::set<std::string_view> open;
  for (const OpenInput& input : inputs_) open.insert(input.name);
  fixed_ = given_;
  Surveyor surveyor(bound_.graph, fixed_, bound_.options);
  for (size_t k = 0; k < nodes.size(); ++k) {
    bool is_fixed = true;
    for (const std::string& name : names_read(nodes[k])) is_fixed &= fixed_.contains(name) && !open.contains(name);
    try {
      if (is_fixed) {
        const SurveyedNode seen = surveyor.look_at(nodes[k]);
        is_fixed = seen.step && std::ranges::all_of(seen.step->types, [](const ValueType& type) {
                     return type.form == Form::tensor && type.has_shape;
                   });
      }
    } catch (const Error& error) {
      pass_on(error);
      require_time();
      is_fixed = false;  // it says so at every assignment
    }
    if (is_fixed) continue;
    varying_.push_back(k);
    for (const std::string& output : nodes[k].outputs)
      if (!output.empty()) open.insert(output), fixed_.erase(output);
  }
}

std::optional<size_t> Trials::tensor(std::string_view name) const {
  const auto found = places_.find(name);
  return found == places_.end() ? std::nullopt : std::optional(found->second);
}

std::optional<Sizes> Trials::fixed(std::string_view name) const {
  const auto known = fixed_.find(name);
  const bool is_open = std::ranges::find(inputs_, name, &OpenInput::name) != inputs_.end();
  if (is_open || known == fixed_.end() || known->second.type.form != Form::tensor || !known->second.type.has_shape)
    return std::nullopt;
  Sizes sizes;
  for (const std::int64_t size : known->second.type.tensor.shape) sizes.emplace_back(Expression::number(size));
  return sizes;
}

std::vector<std::int64_t> Trials::constants() const {
  Numbers numbers;
  numbers.add(bound_.graph);
  if (bound_.graph.opset_import.functions != nullptr)
    for (const Function& function : *bound_.graph.opset_import.functions) numbers.add(function.body);
  for (const auto& [name, known] : fixed_)
    if (const Tensor* tensor = known.value ? known.value->tensor() : nullptr) numbers.add(*tensor);
  for (const ValueInfo& info : bound_.graph.inputs)
    for (const DeclaredDim& dim : info.dims.value_or(std::vector<DeclaredDim>{}))
      if (dim.size) numbers.add(*dim.size);
  return numbers.list();
}

Environment Trials::with_sizes(Environment environment, const Assignment& sizes) const {
  for (const OpenInput& input : inputs_)
    if (const auto known = environment.find(input.name); known != environment.end())
      known->second.type = type_at(input, sizes);
  return environment;
}

void Trials::keep(const Environment& environment, const std::set<std::string>& declared, Trial& trial) const {
  for (size_t t = 0; t < tensors_.size(); ++t) {
    trial.first.push_back(static_cast<std::uint32_t>(trial.dims.size()));
    const auto known = environment.find(tensors_[t]);
    Trial::State& state = trial.states.emplace_back(Trial::State::absent);
    if (known == environment.end()) continue;
    const ValueType& type = known->second.type;
    state = type.form != Form::tensor                           ? Trial::State::no_tensor
            : type.has_shape && !declared.contains(tensors_[t]) ? Trial::State::known
                                                                : Trial::State::open;
    if (state != Trial::State::known) continue;
    trial.dims.insert(trial.dims.end(), type.tensor.shape.begin(), type.tensor.shape.end());
    if (auto numbers = few_numbers(known->second)) trial.values.emplace(t, *std::move(numbers));
  }
  trial.first.push_back(static_cast<std::uint32_t>(trial.dims.size()));
}

Trial Trials::one(const Assignment& sizes) const {
  Trial trial{sizes};
  for (const OpenInput& input : inputs_) {
    const ValueInfo* info = declaration(bound_.graph, input.name);
    if (info == nullptr || agrees(*info, type_at(input, sizes))) continue;
    trial.place = Trial::kInputs;
    trial.refusal.emplace(Fault::invalid, format("input '{}' is {}, but the graph declares {}", printable(input.name),
                                                 type_at(input, sizes), to_text(*info)));
    return trial;
  }
  Environment environment = with_sizes(fixed_, sizes);
  const std::vector<Node>& nodes = bound_.graph.nodes;
  const auto draw = [&](const Node& node) -> std::optional<Step> {
    const auto k = static_cast<size_t>(&node - nodes.data());
    if (misses_[k] >= kMostMisses) return std::nullopt;
    std::optional<DrawnStep> drawn = draw_types(bound_.graph, node, environment, bound_.options, key_of(sizes, k));
    if (!drawn) {
      trial.missed.push_back(k);
      return std::nullopt;
    }
    for (size_t o = 0; o < drawn->differs.size(); ++o)
      for (size_t axis = 0; axis < drawn->differs[o].size(); ++axis)
        if (drawn->differs[o][axis]) trial.drawn.push_back({k, o, axis});
    return std::move(drawn->step);
  };
  Surveyor surveyor(bound_.graph, environment, bound_.options, draw);
  std::set<std::string> declared;
  for (const size_t k : varying_) {
    try {
      const SurveyedNode seen = surveyor.look_at(nodes[k]);
      if (!seen.step) trial.why.emplace(k, seen.why);
      if (!seen.step && seen.is_known) declared.insert(nodes[k].outputs.begin(), nodes[k].outputs.end());
    } catch (const Error& error) {
      pass_on(error);
      require_time();
      trial.place = static_cast<std::ptrdiff_t>(k);
      trial.refusal = error;
      break;
    }
  }
  keep(environment, declared, trial);
  return trial;
}

std::vector<std::optional<Trial>> Trials::at(std::span<const Assignment> all, int threads) {
  std::vector<std::optional<Trial>> trials(all.size());
  try {
    for_each_job(all.size(), threads, [&](size_t i) { trials[i].emplace(one(all[i])); });
  } catch (const Error&) {
    const Deadline* deadline = Deadline::current();
    if (deadline == nullptr || !deadline->is_over()) throw;
  }
  for (const auto& trial : trials)
    for (const size_t k : trial ? trial->missed : std::vector<size_t>{}) ++misses_[k];
  for (const auto& trial : trials)
    for (const DrawnAxis& axis : trial ? trial->drawn : std::vector<DrawnAxis>{}) misses_[axis.node] = INT32_MIN;
  return trials;
}

std::vector<SurveyedNode> Trials::nodes_at(const Assignment& sizes, Environment& environment) const {
  environment = with_sizes(given_, sizes);
  const std::vector<Node>& nodes = bound_.graph.nodes;
  Surveyor surveyor(bound_.graph, environment, bound_.options, [&](const Node& node) -> std::optional<Step> {
    const auto k = static_cast<size_t>(&node - nodes.data());
    auto drawn = draw_types(bound_.graph, node, environment, bound_.options, key_of(sizes, k));
    return drawn ? std::optional(std::move(drawn->step)) : std::nullopt;
  });
  std::vector<SurveyedNode> seen;
  for (const Node& node : nodes) seen.push_back(surveyor.look_at(node));
  return seen;
}

}  // namespace opref::symbols
