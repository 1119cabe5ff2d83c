// SPDX-License-Identifier: Apache-2.0
// A model as a graph of the tensors that depend on its inputs' values, seen through nodes that only rename, convert or
// quantise them.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "core/error.h"
#include "models/figures.h"
#include "models/node_runner.h"
#include "ops/standing.h"
#include "run/bind.h"

namespace opref::models {

inline constexpr size_t kNone = SIZE_MAX;

/// What a node reads as an operand.
struct Operand {
  std::string name;       ///< of a tensor that no other one is looked through for
  size_t entity = kNone;  ///< kNone: a constant, or what nothing is known of
};

struct ModelNode {
  const Node* node = nullptr;
  size_t place = 0;  ///< in the graph
  Standing standing;
  std::int64_t version = 0;  ///< 0 where it is not evaluated
  AttributeTexts attributes, telling;
  bool is_live = false;  ///< it depends on the inputs' values
  bool is_looked_through = false;
  bool is_inner = false;           ///< a step of a product of integers, for which its last node stands
  const Node* reads_as = nullptr;  ///< whose inputs are its operands: its own node, or that of such a product
  std::vector<Operand> operands;
  std::vector<size_t> outputs;  ///< entities, kNone where an output is none

  /// "Conv 'a'", or the operator alone.
  std::string title() const;
  /// Its name, or that of its first output.
  std::string name() const;
  bool is_evaluated() const { return version > 0; }
};

/// Who reads an entity, and as which operand.
struct Reader {
  size_t node = 0, operand = 0;
};

/// A tensor that depends on the inputs' values.
struct Entity {
  std::string name;
  size_t producer = kNone;  ///< a node; kNone: an input of the model
  size_t output = 0;        ///< of the producer
  bool is_inner = false;    ///< between the steps of a product of integers: in no pair
  ValueType type;
  std::vector<std::string> cuts;  ///< where its readers see it: behind dequantisation, else its own name
  Sketch sketch;                  ///< of what they see; of what is no tensor of numbers without elements
  std::vector<Reader> readers;
};

/// Called with each tensor of numbers that depends on the inputs, in the order of evaluation.
using SeeTensor = std::function<void(const std::string& name, const Numbers& numbers, const Sketch& sketch)>;

class Model {
 public:
  /// Evaluates the graph of `bound` on these inputs; `inputs` has what the model holds, too. What an operator that is
  /// not known gives, and all that depends on it, stays unknown. Faults: those of run_graph but for that.
  Model(const Bound& bound, const Environment& inputs, const std::function<void()>& after_node, const SeeTensor& see);
  Model(const Model&) = delete;
  Model& operator=(const Model&) = delete;

  const Graph& graph() const { return bound_.graph; }
  const EvaluationOptions& options() const { return bound_.options; }
  const NodeRunner& runner() const { return runner_; }
  const std::vector<ModelNode>& nodes() const { return nodes_; }
  const std::vector<Entity>& entities() const { return entities_; }
  size_t find_entity(std::string_view name) const;
  /// The entity that the name stands for, through nodes that are looked through; kNone of constants.
  size_t root(std::string_view name) const;
  /// Of the graph's inputs and outputs, in their order; kNone where an input is not read, an output not known.
  const std::vector<size_t>& inputs() const { return inputs_; }
  const std::vector<size_t>& outputs() const { return outputs_; }

  /// What no input's value decides, and the inputs themselves.
  const Value* constant(const std::string& name) const;
  bool is_live(std::string_view name) const { return live_.contains(name); }
  bool is_output(std::string_view name) const;
  /// What an output of the graph is on the inputs; null where it is not known.
  const Value* output_value(const std::string& name) const;
  const Scale& scale_of(std::string_view name) const;
  bool has_scale(std::string_view name) const { return scales_.contains(name); }
  const ValueType* type_of_name(std::string_view name) const;
  /// The numbers that the value of this name stands for.
  std::optional<Numbers> real(std::string_view name, const Value& value) const;

  /// Whether `before` is needed for `after`.
  bool is_ancestor(size_t before, size_t after) const {
    return (ancestors_[after][before / 64] >> (before % 64) & 1) != 0;
  }
  /// Of a constant's elements, and its shape unless it is one number.
  std::uint64_t constant_hash(const std::string& name, bool with_values) const;

  size_t quantized_nodes() const { return quantized_nodes_; }
  size_t half_entities() const { return half_entities_; }
  /// Bytes of all entities.
  std::int64_t entity_bytes() const { return entity_bytes_; }
  /// The error of the first node whose operator is not known, with its place; nothing where all are.
  const std::optional<Error>& unknown() const { return unknown_; }
  /// Nodes that are not evaluated: those of unknown operators.
  const std::vector<size_t>& unknown_nodes() const { return unknown_nodes_; }

 private:
  class FirstPass;
  void take_node(size_t place);
  void find_roots();
  void join_products();
  void find_scales();
  void find_entities();
  void find_readers();
  void find_ancestors();
  std::optional<Scale> result_scale(const ModelNode& node) const;
  std::optional<Scale> scale_at(const Node& node, size_t place) const;

  const Bound& bound_;
  NodeRunner runner_;
  Values given_, constants_, output_values_;
  std::vector<ModelNode> nodes_;
  std::vector<Entity> entities_;
  std::map<std::string, size_t, std::less<>> entity_of_;
  std::map<std::string, std::string, std::less<>> root_of_;
  std::map<std::string, ValueType, std::less<>> types_;
  std::map<std::string, Sketch, std::less<>> sketches_;
  std::map<std::string, Scale, std::less<>> scales_;
  std::set<std::string, std::less<>> live_;
  std::vector<size_t> inputs_, outputs_;
  std::vector<std::vector<std::uint64_t>> ancestors_;
  mutable std::map<std::string, std::uint64_t, std::less<>> constant_hashes_;
  size_t quantized_nodes_ = 0, half_entities_ = 0;
  std::int64_t entity_bytes_ = 0;
  std::optional<Error> unknown_;
  std::vector<size_t> unknown_nodes_;
};

/// A hash of parts, one after the other.
class Hash {
 public:
  Hash& add(std::uint64_t part);
  Hash& add(std::string_view text);
  std::uint64_t value() const { return value_; }

 private:
  std::uint64_t value_ = 0x9e3779b97f4a7c15;
};

}  // namespace opref::models
