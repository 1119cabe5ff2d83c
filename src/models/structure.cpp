// SPDX-License-Identifier: Apache-2.0
#include "models/structure.h"

#include <algorithm>
#include <ranges>

namespace opref::models {
namespace {

void add_shape(Hash& hash, const Model& model, const ModelNode& node) {
  const ValueType* type = node.node->outputs.empty() ? nullptr : model.type_of_name(node.node->outputs.front());
  if (type == nullptr || type->form != Form::tensor || !type->has_shape) return;
  hash.add("shape");
  for (const std::int64_t size : type->tensor.shape) hash.add(static_cast<std::uint64_t>(size));
}

/// What of a node its hashes have, beside its operands.
void add_node(Hash& hash, const Model& model, const ModelNode& node, Detail detail) {
  hash.add(node.standing.plain);
  if (node.standing.is_shaped || node.standing.keeps_order) add_shape(hash, model, node);
  if (detail == Detail::full)
    for (const auto& [name, text] : node.telling) hash.add(name).add(text);
}

void add_all(Hash& hash, std::vector<std::uint64_t> parts, bool in_any_order) {
  if (in_any_order) std::ranges::sort(parts);
  for (const std::uint64_t part : parts) hash.add(part);
}

bool is_work(const ModelNode& node) {
  return node.is_live && !node.is_looked_through && !node.is_inner && node.is_evaluated();
}

std::vector<std::uint64_t> operand_hashes(const Model& model, const ModelNode& node, Detail detail,
                                          const std::vector<std::uint64_t>& forward) {
  std::vector<std::uint64_t> hashes;
  for (const Operand& operand : node.operands) {
    if (operand.entity != kNone)
      hashes.push_back(forward[operand.entity]);
    else
      hashes.push_back(operand.name.empty() ? 0 : model.constant_hash(operand.name, detail == Detail::full));
    if (node.standing.keeps_order) break;
  }
  while (!hashes.empty() && hashes.back() == 0) hashes.pop_back();
  return hashes;
}

std::vector<std::uint64_t> constant_hashes(const Model& model, const ModelNode& node, Detail detail) {
  std::vector<std::uint64_t> hashes;
  if (!node.standing.keeps_order)
    for (const Operand& operand : node.operands)
      if (operand.entity == kNone && !operand.name.empty())
        hashes.push_back(model.constant_hash(operand.name, detail == Detail::full));
  std::ranges::sort(hashes);
  return hashes;
}

std::vector<std::uint64_t> output_marks(const Model& model, size_t entity) {
  std::vector<std::uint64_t> marks;
  for (size_t k = 0; k < model.outputs().size(); ++k)
    if (model.outputs()[k] == entity) marks.push_back(Hash().add("output").add(k).value());
  return marks;
}

/// With room for all entities.
PlaceHashes hashes_of_inputs(const Model& model) {
  const size_t count = model.entities().size();
  PlaceHashes hashes{std::vector<std::uint64_t>(count), std::vector<std::uint64_t>(count)};
  for (size_t k = 0; k < model.inputs().size(); ++k)
    if (model.inputs()[k] != kNone) hashes.forward[model.inputs()[k]] = Hash().add("input").add(k).value();
  return hashes;
}

void add_outputs(PlaceHashes& hashes, const ModelNode& node, const Hash& hash) {
  for (size_t k = 0; k < node.outputs.size(); ++k)
    if (node.outputs[k] != kNone) hashes.forward[node.outputs[k]] = Hash(hash).add(k).value();
}

std::uint64_t backward_hash(const Model& model, size_t entity, Detail detail,
                            const std::vector<std::uint64_t>& backward) {
  std::vector<std::uint64_t> marks = output_marks(model, entity);
  for (const Reader& reader : model.entities()[entity].readers) {
    const ModelNode& node = model.nodes()[reader.node];
    if (!is_work(node)) continue;
    Hash hash;
    add_node(hash, model, node, detail);
    hash.add(node.standing.commutes ? 0 : reader.operand);
    add_all(hash, constant_hashes(model, node, detail), false);
    for (const size_t output : node.outputs) hash.add(output == kNone ? 0 : backward[output]);
    marks.push_back(hash.value());
  }
  Hash all;
  all.add("read");
  add_all(all, std::move(marks), true);
  return all.value();
}

}  // namespace

PlaceHashes place_hashes(const Model& model, Detail detail) {
  const size_t count = model.entities().size();
  PlaceHashes hashes = hashes_of_inputs(model);
  for (const ModelNode& node : model.nodes()) {
    if (!is_work(node)) continue;
    Hash hash;
    add_node(hash, model, node, detail);
    add_all(hash, operand_hashes(model, node, detail, hashes.forward), node.standing.commutes);
    add_outputs(hashes, node, hash);
  }
  for (size_t entity = count; entity-- > 0;)
    hashes.backward[entity] = backward_hash(model, entity, detail, hashes.backward);
  return hashes;
}

namespace {

/// Nodes that folding and quantising make vanish.
bool vanishes(const ModelNode& node) {
  const auto is_live = [](const Operand& operand) { return operand.entity != kNone; };
  if (node.operands.empty() || node.outputs.empty()) return false;
  if (node.standing.vanishes) return is_live(node.operands.front());
  return node.standing.scales && node.operands.size() == 2 && std::ranges::count_if(node.operands, is_live) == 1;
}

size_t first_entity(const ModelNode& node) {
  const auto found =
      std::ranges::find_if(node.operands, [](const Operand& operand) { return operand.entity != kNone; });
  return found == node.operands.end() ? kNone : found->entity;
}

}  // namespace

PlaceHashes skeleton_hashes(const Model& model) {
  const size_t count = model.entities().size();
  PlaceHashes hashes = hashes_of_inputs(model);
  for (const ModelNode& node : model.nodes()) {
    if (!is_work(node)) continue;
    if (vanishes(node) && node.outputs.front() != kNone) {
      hashes.forward[node.outputs.front()] = hashes.forward[first_entity(node)];
      continue;
    }
    Hash hash;
    hash.add(node.standing.plain);
    add_shape(hash, model, node);
    std::vector<std::uint64_t> operands;
    for (const Operand& operand : node.operands)
      if (operand.entity != kNone) operands.push_back(hashes.forward[operand.entity]);
    add_all(hash, std::move(operands), node.standing.commutes);
    add_outputs(hashes, node, hash);
  }
  std::vector<std::vector<std::uint64_t>> marks(count);  // sorted, each once
  for (size_t entity = count; entity-- > 0;) {
    std::vector<std::uint64_t> own = output_marks(model, entity);
    for (const Reader& reader : model.entities()[entity].readers) {
      const ModelNode& node = model.nodes()[reader.node];
      if (!is_work(node)) continue;
      if (vanishes(node) && node.outputs.front() != kNone) {
        const auto& further = marks[node.outputs.front()];
        own.insert(own.end(), further.begin(), further.end());
        continue;
      }
      Hash hash;
      hash.add(node.standing.plain).add(node.standing.commutes ? 0 : reader.operand);
      add_shape(hash, model, node);
      for (const size_t output : node.outputs)
        if (output != kNone) add_all(hash.add("result"), marks[output], false);
      own.push_back(hash.value());
    }
    std::ranges::sort(own);
    const auto rest = std::ranges::unique(own);
    own.erase(rest.begin(), rest.end());
    Hash all;
    all.add("read");
    add_all(all, own, false);
    hashes.backward[entity] = all.value();
    marks[entity] = std::move(own);
  }
  return hashes;
}

}  // namespace opref::models
