// SPDX-License-Identifier: Apache-2.0
#include "models/model.h"

#include <algorithm>
#include <cmath>

#include "ops/operators.h"
#include "run/places.h"
#include "run/version.h"
#include "system/machine_error.h"

namespace opref::models {

Hash& Hash::add(std::uint64_t part) {
  value_ = (value_ ^ part) * 0xff51afd7ed558ccd;
  value_ ^= value_ >> 32;
  return *this;
}

Hash& Hash::add(std::string_view text) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return add(hash).add(text.size());
}

std::string ModelNode::name() const {
  if (!node->name.empty()) return node->name;
  const auto named = std::ranges::find_if(node->outputs, [](const std::string& output) { return !output.empty(); });
  return named == node->outputs.end() ? "" : *named;
}

std::string ModelNode::title() const {
  const std::string own = name();
  return own.empty() ? printable(node->op_type) : format("{} '{}'", printable(node->op_type), printable(own));
}

/// The first evaluation: each value lives until its last reader.
class Model::FirstPass {
 public:
  FirstPass(Model& model, const SeeTensor& see) : model_(model), see_(see) {
    const Graph& graph = model.graph();
    for (size_t place = 0; place < graph.nodes.size(); ++place)
      for (const std::string& name : model.runner_.reads(place)) last_reader_[name] = place;
    for (const ValueInfo& output : graph.outputs) last_reader_[output.name] = kNone;
    for (const auto& [name, value] : model.given_) held_.add(value);
  }

  void run(size_t place) {
    ModelNode& node = model_.nodes_[place];
    const ValueOf value_of = [this](const std::string& name) { return find(name); };
    if (!model_.runner_.has_inputs(place, value_of)) return;
    try {
      NodeRunner::Result result = model_.runner_.run(place, value_of, held_.total());
      node.version = std::max<std::int64_t>(1, result.step.call.version());
      node.attributes = attribute_texts(result.step.call);
      node.telling = telling_attributes(node.standing, node.attributes);
      for (auto& [name, value] : result.values) take(name, std::move(value), node.is_live);
    } catch (const Error& error) {
      pass_on(error);
      if (error.fault() != Fault::unsupported) throw;
      if (!model_.unknown_) model_.unknown_ = error;
      model_.unknown_nodes_.push_back(place);
    }
    for (const std::string& name : model_.runner_.reads(place)) drop_after(name, place);
    for (const std::string& name : node.node->outputs)
      if (!name.empty() && !last_reader_.contains(name)) drop(name);
  }

  void finish() {
    for (const ValueInfo& output : model_.graph().outputs)
      if (const Value* value = find(output.name)) model_.output_values_.emplace(output.name, *value);
  }

  /// An input of the model.
  void see(const std::string& name, const Value& value) {
    model_.types_.insert_or_assign(name, type_of(value));
    const Tensor* tensor = value.tensor();
    if (tensor == nullptr) return;
    const auto numbers = numbers_of(*tensor);
    if (!numbers) return;
    Sketch sketch = sketch_of(*numbers);
    if (see_) see_(name, *numbers, sketch);
    model_.sketches_.insert_or_assign(name, std::move(sketch));
  }

 private:
  const Value* find(const std::string& name) const {
    const auto live = values_.find(name);
    return live != values_.end() ? &live->second : model_.constant(name);
  }

  void take(const std::string& name, Value value, bool is_live) {
    held_.add(value);
    if (!is_live) {
      model_.types_.insert_or_assign(name, type_of(value));
      model_.constants_.insert_or_assign(name, std::move(value));
      return;
    }
    see(name, value);
    values_.insert_or_assign(name, std::move(value));
  }

  void drop_after(const std::string& name, size_t place) {
    const auto last = last_reader_.find(name);
    if (last != last_reader_.end() && last->second == place) drop(name);
  }

  void drop(const std::string& name) {
    const auto live = values_.find(name);
    if (live == values_.end()) return;
    held_.remove(live->second);
    values_.erase(live);
  }

  Model& model_;
  const SeeTensor& see_;
  std::map<std::string, size_t, std::less<>> last_reader_;
  Values values_;
  HeldBytes held_;
};

Model::Model(const Bound& bound, const Environment& inputs, const std::function<void()>& after_node,
             const SeeTensor& see)
    : bound_(bound), runner_(bound.graph, bound.options) {
  for (const auto& [name, known] : inputs)
    if (known.value) given_.emplace(name, *known.value);
  for (const ValueInfo& input : graph().inputs) live_.insert(input.name);
  for (size_t place = 0; place < graph().nodes.size(); ++place) take_node(place);
  FirstPass pass(*this, see);
  for (const ValueInfo& input : graph().inputs)
    if (const Value* value = constant(input.name)) pass.see(input.name, *value);
  for (size_t place = 0; place < nodes_.size(); ++place) {
    pass.run(place);
    if (after_node) after_node();
  }
  pass.finish();
  find_roots();
  join_products();
  find_scales();
  find_entities();
  find_readers();
  find_ancestors();
}

void Model::take_node(size_t place) {
  const Node& node = graph().nodes[place];
  ModelNode taken;
  taken.node = taken.reads_as = &node;
  taken.place = place;
  taken.standing = standing_of(canonical_domain(node.domain), node.op_type, node.inputs.size());
  const Operator* op = operator_of(graph().opset_import, node);
  const bool is_of_types = op != nullptr && op->takes_types_alone();
  const auto reads_live = [&](const std::string& name) { return live_.contains(name); };
  taken.is_live = !is_of_types && std::ranges::any_of(runner_.reads(place), reads_live);
  if (taken.is_live)
    for (const std::string& output : node.outputs)
      if (!output.empty()) live_.insert(output);
  if (taken.standing.is_quantized) ++quantized_nodes_;
  nodes_.push_back(std::move(taken));
}

const Value* Model::constant(const std::string& name) const {
  const auto given = given_.find(name);
  if (given != given_.end()) return &given->second;
  const auto made = constants_.find(name);
  return made == constants_.end() ? nullptr : &made->second;
}

bool Model::is_output(std::string_view name) const {
  return std::ranges::find(graph().outputs, name, &ValueInfo::name) != graph().outputs.end();
}

const Value* Model::output_value(const std::string& name) const {
  const auto found = output_values_.find(name);
  return found == output_values_.end() ? nullptr : &found->second;
}

const ValueType* Model::type_of_name(std::string_view name) const {
  const auto found = types_.find(name);
  return found == types_.end() ? nullptr : &found->second;
}

const Scale& Model::scale_of(std::string_view name) const {
  static const Scale kPlain;
  const auto found = scales_.find(name);
  return found == scales_.end() ? kPlain : found->second;
}

std::optional<Numbers> Model::real(std::string_view name, const Value& value) const {
  const Tensor* tensor = value.tensor();
  return tensor == nullptr ? std::nullopt : numbers_of(*tensor, scale_of(name));
}

size_t Model::find_entity(std::string_view name) const {
  const auto found = entity_of_.find(name);
  return found == entity_of_.end() ? kNone : found->second;
}

size_t Model::root(std::string_view name) const {
  const auto found = root_of_.find(name);
  return find_entity(found == root_of_.end() ? name : std::string_view(found->second));
}

void Model::find_roots() {
  const auto is_float = [this](const std::string& name) {
    const ValueType* type = type_of_name(name);
    return type != nullptr && is_floating(type->dtype());
  };
  for (ModelNode& node : nodes_) {
    const NodeRole role = node.standing.role;
    if (!node.is_live || role == NodeRole::computes || node.node->inputs.empty() || node.node->outputs.empty())
      continue;
    const std::string &from = node.node->inputs.front(), &to = node.node->outputs.front();
    if (!is_live(from) || is_output(to)) continue;
    if (role == NodeRole::converts && !(is_float(from) && is_float(to))) continue;
    const auto before = root_of_.find(from);
    root_of_.insert_or_assign(to, before == root_of_.end() ? from : before->second);
    node.is_looked_through = true;
  }
}

/// ConvInteger, Cast, Mul by the scale: Mul stands for a Conv of what ConvInteger reads, and what multiplies scales
/// alone is a step of it.
void Model::join_products() {
  std::map<std::string_view, std::vector<size_t>> readers;
  for (const ModelNode& node : nodes_)
    if (node.is_live)
      for (const std::string& name : runner_.reads(node.place)) readers[name].push_back(node.place);
  const auto only_reader = [&](const ModelNode& node) -> ModelNode* {
    const std::vector<std::string>& outputs = node.node->outputs;
    if (outputs.size() != 1 || is_output(outputs.front()) || readers[outputs.front()].size() != 1) return nullptr;
    return &nodes_[readers[outputs.front()].front()];
  };
  std::set<size_t> products;
  for (ModelNode& node : nodes_) {
    if (!node.is_live || !node.standing.is_unscaled) continue;
    ModelNode* cast = only_reader(node);
    if (cast == nullptr || cast->standing.role != NodeRole::converts) continue;
    ModelNode* product = only_reader(*cast);
    if (product == nullptr || !product->standing.multiplies) continue;
    node.is_inner = cast->is_inner = true;
    product->standing = node.standing;
    product->telling = node.telling;
    product->reads_as = node.node;
    products.insert(product->place);
  }
  for (ModelNode& node : nodes_) {
    if (!node.is_live || !node.standing.multiplies || is_output(node.node->outputs.front())) continue;
    const std::vector<size_t>& by = readers[node.node->outputs.front()];
    node.is_inner = !by.empty() && std::ranges::all_of(by, [&](size_t place) { return products.contains(place); });
  }
}

std::optional<Scale> Model::scale_at(const Node& node, size_t place) const {
  if (place >= node.inputs.size()) return std::nullopt;
  const auto first = [this](const std::string& name) -> std::optional<double> {
    const Value* value = constant(name);
    const Tensor* tensor = value == nullptr ? nullptr : value->tensor();
    if (tensor == nullptr || tensor->count() != 1) return std::nullopt;
    const auto numbers = numbers_of(*tensor);
    return numbers ? std::optional(numbers->values.front()) : std::nullopt;
  };
  const auto scale = first(node.inputs[place]);
  if (!scale) return std::nullopt;
  const bool has_zero = place + 1 < node.inputs.size() && !node.inputs[place + 1].empty();
  return Scale{*scale, has_zero ? first(node.inputs[place + 1]).value_or(0) : 0};
}

std::optional<Scale> Model::result_scale(const ModelNode& node) const {
  if (node.standing.scale) return scale_at(*node.node, *node.standing.scale);
  if (node.standing.keeps_scale && !node.node->inputs.empty() && has_scale(node.node->inputs.front()))
    return scale_of(node.node->inputs.front());
  return std::nullopt;
}

void Model::find_scales() {
  for (const ModelNode& node : nodes_) {
    if (!node.is_live || node.node->outputs.empty()) continue;
    const ValueType* type = type_of_name(node.node->outputs.front());
    if (type == nullptr || !is_integer(type->dtype())) continue;
    if (const auto scale = result_scale(node)) scales_.insert_or_assign(node.node->outputs.front(), *scale);
  }
}

void Model::find_entities() {
  std::set<std::string_view> used;
  for (const ModelNode& node : nodes_)
    if (node.is_live)
      for (const std::string& name : runner_.reads(node.place)) used.insert(name);
  for (const ValueInfo& output : graph().outputs) used.insert(output.name);
  const auto add = [&](const std::string& name, size_t producer, size_t output) {
    const ValueType* type = type_of_name(name);
    if (type == nullptr || entity_of_.contains(name)) return kNone;
    const bool is_inner = producer != kNone && nodes_[producer].is_inner;
    Entity entity{name, producer, output, is_inner, *type, {}, {}, {}};
    entity_of_.emplace(name, entities_.size());
    if (type->form == Form::tensor && type->has_shape) {
      entity_bytes_ += byte_size(type->tensor);
      half_entities_ += type->dtype() == DType::float16 || type->dtype() == DType::bfloat16 ? 1 : 0;
    }
    entities_.push_back(std::move(entity));
    return entities_.size() - 1;
  };
  for (const ValueInfo& input : graph().inputs)
    inputs_.push_back(used.contains(input.name) ? add(input.name, kNone, 0) : kNone);
  for (ModelNode& node : nodes_) {
    const std::vector<std::string>& names = node.node->outputs;
    node.outputs.assign(names.size(), kNone);
    if (!node.is_live || node.is_looked_through) continue;
    const bool is_used = std::ranges::any_of(names, [&](const std::string& name) { return used.contains(name); });
    for (size_t k = 0; k < names.size(); ++k)
      if (!names[k].empty() && (used.contains(names[k]) || !is_used)) node.outputs[k] = add(names[k], node.place, k);
  }
  for (const ValueInfo& output : graph().outputs) outputs_.push_back(root(output.name));
}

void Model::find_readers() {
  std::set<std::string_view> direct;
  for (ModelNode& node : nodes_) {
    if (!node.is_live) continue;
    if (!node.is_looked_through)
      for (const std::string& name : runner_.reads(node.place)) direct.insert(name);
    if (node.is_inner) continue;
    for (const size_t place : node.standing.places) {
      const std::string& name = node.reads_as->inputs[place];
      const auto looked = root_of_.find(name);
      const std::string& meant = looked == root_of_.end() ? name : looked->second;
      node.operands.push_back({meant, find_entity(meant)});
      const size_t entity = node.operands.back().entity;
      if (entity != kNone && !node.is_looked_through)
        entities_[entity].readers.push_back({node.place, node.operands.size() - 1});
    }
  }
  for (const ValueInfo& output : graph().outputs) direct.insert(output.name);
  for (const ModelNode& node : nodes_) {
    if (!node.is_looked_through || node.standing.role != NodeRole::dequantizes) continue;
    const std::string& output = node.node->outputs.front();
    const size_t entity = root(output);
    if (entity != kNone && !direct.contains(entities_[entity].name)) entities_[entity].cuts.push_back(output);
  }
  for (Entity& entity : entities_) {
    if (entity.cuts.empty()) entity.cuts.push_back(entity.name);
    const auto sketch = sketches_.find(entity.cuts.front());
    if (sketch == sketches_.end()) continue;
    entity.sketch = sketch->second;
    const Scale& scale = scale_of(entity.cuts.front());
    if (scale.scale == 1 && scale.zero == 0) continue;
    for (double* x : {&entity.sketch.mean, &entity.sketch.least, &entity.sketch.greatest})
      *x = (*x - scale.zero) * scale.scale;
    for (double& x : entity.sketch.samples) x = (x - scale.zero) * scale.scale;
    entity.sketch.rms *= std::abs(scale.scale);
  }
  sketches_.clear();
}

void Model::find_ancestors() {
  const size_t words = entities_.size() / 64 + 1;
  ancestors_.assign(entities_.size(), std::vector<std::uint64_t>(words));
  for (const ModelNode& node : nodes_) {
    if (!node.is_live || node.is_looked_through) continue;
    std::vector<std::uint64_t> needed(words);
    for (const std::string& name : runner_.reads(node.place)) {
      const size_t entity = root(name);
      if (entity == kNone) continue;
      for (size_t k = 0; k < words; ++k) needed[k] |= ancestors_[entity][k];
      needed[entity / 64] |= std::uint64_t{1} << (entity % 64);
    }
    for (const size_t output : node.outputs)
      if (output != kNone) ancestors_[output] = needed;
  }
}

std::uint64_t Model::constant_hash(const std::string& name, bool with_values) const {
  const ValueType* type = nullptr;
  const Value* value = constant(name);
  if (value == nullptr) return Hash().add("unknown").value();
  const ValueType own = type_of(*value);
  type = &own;
  Hash hash;
  hash.add("constant");
  if (type->form == Form::tensor && element_count(type->tensor.shape) != 1)
    for (const std::int64_t size : type->tensor.shape) hash.add(static_cast<std::uint64_t>(size));
  if (!with_values) return hash.value();
  const auto known = constant_hashes_.find(name);
  if (known != constant_hashes_.end()) return hash.add(known->second).value();
  Hash content;
  const Tensor* tensor = value->tensor();
  if (const auto numbers = tensor == nullptr ? std::nullopt : numbers_of(*tensor))
    content.add(sketch_of(*numbers).in_order);
  else if (tensor != nullptr && tensor->dtype() == DType::string)
    for (const std::string& text : tensor->strings()) content.add(text);
  else
    content.add(name);
  constant_hashes_.emplace(name, content.value());
  return hash.add(content.value()).value();
}

}  // namespace opref::models
