// SPDX-License-Identifier: Apache-2.0
// One evaluation of one node: everything resolved, everything checked that needs no operator's own rules.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/tensor.h"
#include "core/value_type.h"
#include "exact/numerics.h"
#include "schema/op_schema.h"

namespace opref::schema {

class Operator;
struct Reading;

/// What is known of a name of a graph, and so of an actual input of a node. Without a value only the type is known
/// (`infer`).
struct Input {
  std::string name;  ///< the graph's name; empty: omitted
  ValueType type;
  MaybeValue value = {};
  std::vector<std::string> denotation = {};  ///< per axis where value_info states them, else empty
  bool is_computed = false;                  ///< by a node of the graph: nobody can give a value for it

  /// The value of a tensor. That there is none is a `usage` error, that it is no tensor an `unsupported` one.
  const Tensor& tensor() const;
  /// Of a tensor. That values decide its shape is a `usage` error, that it is no tensor an `unsupported` one.
  const TensorType& tensor_type() const;
};

/// The tensors among an operator's values; what is none is `unsupported`.
std::vector<Tensor> tensors_of(std::span<const Value> values);

/// What evaluates the subgraphs of a node: they see the names around the node. Given by whoever evaluates the graph, so
/// that operators know nothing of graphs' evaluation. Faults: those of the nodes inside.
class Subgraphs {
 public:
  Subgraphs() = default;
  Subgraphs(const Subgraphs&) = delete;
  Subgraphs& operator=(const Subgraphs&) = delete;
  virtual ~Subgraphs() = default;
  /// Of the graph's outputs, given the types of its inputs.
  virtual std::vector<ValueType> types(const Graph& graph, std::span<const ValueType> inputs) const = 0;
  /// The same of a graph that may not be evaluated: by inference alone. What it says is said of no node.
  virtual std::vector<ValueType> inferred(const Graph& graph, std::span<const ValueType> inputs) const = 0;
  /// Of the graph's outputs, given the values of its inputs, while the operator holds so many bytes of other values.
  virtual std::vector<Value> values(const Graph& graph, std::span<const Value> inputs, std::int64_t held) const = 0;
};

/// A node, its operator's version, attributes with defaults filled in, inputs and readings. What operators see.
/// Names are the specification's; asking for one that the schema does not have is a bug (`internal`).
class Call {
 public:
  Call();
  Call(const Call& other);
  Call(Call&& other) noexcept;
  Call& operator=(const Call& other);
  Call& operator=(Call&& other) noexcept;
  ~Call();

  const Operator& op() const { return *op_; }
  const OpSchema& schema() const { return *schema_; }
  std::int64_t version() const { return schema_->since_version(); }
  /// "MaxUnpool-11"
  std::string title() const;
  /// What the node's operator calls an attribute, input or output: for messages. Another name than the schema's in the
  /// call of an operator whose rules another one has taken (Operator::as).
  std::string_view name(std::string_view formal) const;

  // A name is an attribute's or an input's, whichever this version has: `axes` of ReduceSum reads alike in 1 and 13.
  /// Whether it has a value: an attribute that is stated or has a default, an input that is given. False of a name that
  /// only other versions of the operator have; asking for one that none has is a bug.
  bool has(std::string_view name) const;
  /// The same in rooms that several operators share: false of a name that the operator does not have.
  bool has_here(std::string_view name) const;
  /// Whether the node itself states the attribute.
  bool stated(std::string_view attribute) const;
  /// The value of what it `has`. An input has one element of any rank; of `integers` any number. Integer inputs are of
  /// any integer type; one beyond 64 bits is `invalid`.
  std::int64_t integer(std::string_view name) const;
  /// Whether it has the number and that is not 0; false of a name that only other versions of the operator have.
  bool flag(std::string_view name) const { return has(name) && integer(name) != 0; }
  /// Of a float64 input its own value; of an attribute the float32 that it is.
  double number(std::string_view name) const;
  const std::string& string(std::string_view name) const;
  std::vector<std::int64_t> integers(std::string_view name) const;
  const Tensor& tensor(std::string_view attribute) const;
  const SparseTensor& sparse_tensor(std::string_view attribute) const;
  const Graph& graph(std::string_view attribute) const;
  const ValueType& stated_type(std::string_view attribute) const;
  std::vector<float> numbers(std::string_view attribute) const;
  const std::vector<std::string>& strings(std::string_view attribute) const;
  /// `integer` as one of `rank` axes, negative ones counted from the end; another one is `invalid`.
  size_t axis(std::string_view name, size_t rank) const;
  /// Which of its Range's words the attribute is, as the enumerator of that place.
  template <class Enum>
  Enum choice(std::string_view attribute) const {
    return static_cast<Enum>(place_of_word(attribute));
  }

  /// Of a tensor. That values decide its shape is a `usage` error.
  const TensorType& type(std::string_view input) const;
  const ValueType& value_type(std::string_view input) const;
  /// The values; in `infer`, where only the type may be known, a `usage` error "needs the values of output_shape".
  const Tensor& input(std::string_view input) const;
  const Value& value(std::string_view input) const;
  const Sequence& sequence(std::string_view input) const;
  const Optional& optional(std::string_view input) const;
  const Map& map(std::string_view input) const;
  bool has_value(std::string_view input) const;
  /// All actual inputs of a variadic parameter.
  std::span<const Input> inputs(std::string_view variadic) const;
  /// The values of all inputs, which are tensors; errors as those of `input`.
  std::vector<Tensor> tensors() const;
  /// Whether the node names the output: an optional one need not be computed otherwise.
  bool wants(std::string_view output) const;
  /// The same by its place; a call whose node names no outputs at all wants every one.
  bool wants_output(size_t place) const;
  /// How many outputs the node has: of variadic ones (Split, If).
  size_t output_count() const { return outputs_.size(); }
  const std::vector<std::string>& denotation(std::string_view input) const;

  /// Of the outputs of the subgraph, by Subgraphs; its place is added to errors ("in then_branch"). Without Subgraphs
  /// a bug.
  std::vector<ValueType> graph_types(std::string_view attribute, std::span<const ValueType> inputs) const;
  std::vector<ValueType> inferred_graph_types(std::string_view attribute, std::span<const ValueType> inputs) const;
  std::vector<Value> graph_values(std::string_view attribute, std::span<const Value> inputs,
                                  std::int64_t held = 0) const;
  /// So many bytes more fit into memory: of what a kernel makes beside tensors of its outputs' types, as lists of
  /// tensors; else a `system` error.
  void require_room(std::int64_t bytes) const;
  void set_room(std::int64_t bytes) { room_ = bytes; }
  void set_subgraphs(std::shared_ptr<const Subgraphs> subgraphs) { subgraphs_ = std::move(subgraphs); }
  const std::shared_ptr<const Subgraphs>& subgraphs() const { return subgraphs_; }
  /// Of what is evaluated: types and attributes stay known, but nothing can be evaluated again.
  void drop_values();

  /// The alternative in force of one of the operator's readings; empty where this version leaves no choice.
  std::string_view reading(std::string_view name) const;
  /// Whether the alternative is in force; that the reading has none of this name is a bug (`internal`).
  bool reads(std::string_view name, std::string_view alternative) const;
  /// The alternative in force as the enumerator of its place among all; the first where this version leaves no choice.
  template <class Enum>
  Enum reading_choice(std::string_view name) const {
    return static_cast<Enum>(place_of_alternative(name));
  }
  /// Whether the user or the case chose it.
  bool reading_selected(std::string_view name) const;
  // The same call but for one thing; its elements are not counted. Attributes and inputs are checked again as if the
  // node said so: what resolve refuses is `invalid`. Output types are the operator's to check.
  Call with_reading(std::string_view name, std::string_view alternative) const;
  Call with_attribute(std::string_view name, AttributeValue value) const;
  /// With its default, if it has one.
  Call without_attribute(std::string_view name) const;
  /// Of a formal input that is not variadic, which may be omitted so far.
  Call with_input(std::string_view name, Value value) const;
  Call without_input(std::string_view name) const;
  /// With each input's tensor replaced by one of the same type and shape.
  Call with_tensors(const std::function<Tensor(const Tensor&)>& replaced) const;
  /// As another version of its operator reads the same node.
  Call with_version(const OpSchema& version) const;
  /// As another operator reads the same node, with its own readings by default.
  Call read_by(const struct Version& other) const;
  /// By an operator that is the same but for its kernel and output types: nothing is checked again.
  Call computed_by(const Operator& other) const;
  /// Whether both say the same of the same node: attributes in force, inputs, readings in force.
  bool says_as(const Call& other) const;

  /// How its numbers are worked out, unless its Outputs say otherwise. Operators see Outputs alone.
  const Numerics& numerics() const { return numerics_; }
  void set_numerics(const Numerics& numerics) { numerics_ = numerics; }
  /// Evaluated instead of that call, whose node it is: of an operator that takes this one's rules.
  void stand_for(const Call& call);

  const std::map<std::string, AttributeValue, std::less<>>& attributes() const { return attributes_; }
  const std::vector<Input>& inputs() const { return inputs_; }

 private:
  friend Call resolve(const struct Version&, const struct Node&, std::vector<Input>,
                      const std::map<std::string, std::string, std::less<>>&);
  /// The one way by which a node's attributes and inputs come in (schema/resolve.cpp): typed, completed and checked.
  void take(const std::vector<Attribute>& stated, std::vector<Input> inputs);
  /// As the node states them, but for `name`.
  std::vector<Attribute> stated_but(std::string_view name) const;
  Call changed(const std::vector<Attribute>& stated, std::vector<Input> inputs) const;
  /// Of the formal input; that the version has none of this name is a bug.
  size_t place_of_input(std::string_view name) const;
  const AttributeValue& attribute(std::string_view name) const;
  size_t place_of_word(std::string_view attribute) const;
  size_t place_of_alternative(std::string_view reading) const;
  /// Null where it is omitted; that the version has no such input is a bug.
  const Input* find_input(std::string_view name) const;
  const Input& given(std::string_view name) const;
  /// Of an actual input of the formal one.
  const Value& value_of(const Input& input, std::string_view formal) const;
  const Tensor& single_element(std::string_view input) const;
  const Subgraphs& given_subgraphs() const;

  const Operator* op_ = nullptr;
  const OpSchema* schema_ = nullptr;
  const Operator* spoken_op_ = nullptr;  // null: op_
  const OpSchema* spoken_schema_ = nullptr;
  std::map<std::string, AttributeValue, std::less<>> attributes_;
  std::vector<std::string> stated_;
  std::vector<Input> inputs_;
  std::vector<std::string> outputs_;
  std::map<std::string, std::string, std::less<>> selected_;  // readings that were chosen
  Numerics numerics_;
  std::shared_ptr<const Subgraphs> subgraphs_;
  std::int64_t room_ = INT64_MAX;
};

}  // namespace opref::schema
