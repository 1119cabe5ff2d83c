// SPDX-License-Identifier: Apache-2.0
// What operators share that evaluate subgraphs, and those of sequences and optionals.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "exact/real/interval.h"
#include "exact/term_sink.h"
#include "schema/operator.h"
namespace opref::ops {
// The input sequence_lens, or of another name, of operators on batches of sequences.

/// The length of each batch, from 0 to `longest`; else `invalid`. Where the input is omitted all have the longest, and
/// any number of batches takes no memory.
class SequenceLens {
 public:
  SequenceLens() = default;
  /// Without the input.
  SequenceLens(std::int64_t batches, std::int64_t longest) : batches_(batches), longest_(longest) {}
  SequenceLens(const Call& call, std::int64_t batches, std::int64_t longest, std::string_view input = "sequence_lens");

  std::int64_t batches() const { return batches_; }
  std::int64_t longest() const { return longest_; }
  std::int64_t operator[](std::int64_t batch) const {
    return stated_.empty() ? longest_ : stated_[static_cast<size_t>(batch)];
  }

 private:
  std::int64_t batches_ = 0, longest_ = 0;
  std::vector<std::int64_t> stated_;
};

// The input 'position', a place in a sequence.

/// "It must be a scalar(tensor of empty shape)", which ONNX's own data have as [1]. Without values too.
void require_scalar_position(const Call& call);

/// The position, else `omitted`: from -n to `last`, negative ones counted from the back of the sequence of n elements.
/// Others are `invalid`.
std::ptrdiff_t position_of(const Call& call, std::int64_t n, std::int64_t omitted, std::int64_t last);

// Optionals around tensors and sequences.

bool is_optional(Form form);

/// What has a tensor or a sequence of this type, or this value.
ValueType optional_of(const ValueType& element);
Value optional_of(const Value& element);

/// What an optional has, and its type; nothing where it has no element. What is no optional is its own.
ValueType element_of(const ValueType& type);
std::optional<Value> element_of(const Value& value);

// What operators share that evaluate subgraphs.

/// The subgraph takes `inputs` values and gives `outputs`; else `invalid`.
void require_graph(const Call& call, std::string_view attribute, size_t inputs, size_t outputs);

/// The types of the outputs of a subgraph that may not be evaluated; nothing where it does not fit what it is given, or
/// where values decide what fits.
std::optional<std::vector<ValueType>> types_without_values(const Call& call, std::string_view attribute,
                                                           std::span<const ValueType> inputs);

/// What the subgraph is given has the element types and the forms that it declares; else `invalid`.
void require_takes(const Call& call, std::string_view attribute, std::span<const ValueType> types);

/// Input k of the subgraph is declared so that it may have the type, its shape too, as the page says; else `invalid`.
void require_may_be(const Call& call, std::string_view attribute, size_t k, const ValueType& type,
                    std::string_view as_the_page_says);

/// Warns of shapes that the subgraph declares for its inputs, and is not given.
std::vector<Note> notes_of_taken(const Call& call, std::string_view attribute, std::span<const ValueType> types);

/// An input that is given has one element, of any rank; else `invalid`.
void require_single(const Call& call, std::string_view input);

/// Whether a tensor is one bool, and true.
bool is_true(const Tensor& tensor);

/// What a body that is evaluated once per item gives to be put together: its output `k`, a tensor; else `invalid`.
const Tensor& item_of(std::span<const Value> outputs, size_t k);

/// Tells `explain` of the element that it asks for: says(output, place) is the name of a part and its number.
template <class F>
void tell_asked(std::span<const Output> outs, const F& says) {
  for (const Output& out : outs) {
    if (out.sink() == nullptr || !out.only()) continue;
    const std::pair<std::string, std::int64_t> part = says(out, *out.only());
    out.sink()->real(part.first, Interval::whole(part.second));
  }
}

/// Versions 13 to 25 of an operator whose values "V" are those of a graph.
Operator with_types_of_graphs(Operator op);

/// What subgraphs give, types of the type variable; else `invalid`, with the version that has the type.
void require_given_types(const Call& call, std::string_view variable, std::span<const ValueType> types);

// What operators share that evaluate one of two graphs, by a condition.

/// One of them: its attribute, and what it is given.
struct Branch {
  std::string_view attribute;
  std::vector<ValueType> taken = {};
};

/// The one that is evaluated, by the value of the condition.
const Branch& branch_in_force(const Call& call, std::string_view condition, const Branch& then, const Branch& other);

/// The types of the node's outputs. Both branches give as many, and of the same types: "the return values in the
/// then_branch and else_branch must be of the same data type", in some versions "of the same shape". Where the
/// condition's value is not known a shape is open where theirs differ. The branch that is not taken need not fit.
std::vector<ValueType> types_of_branches(const Call& call, std::string_view condition, const Branch& then,
                                         const Branch& other, bool same_shapes);

/// The values of the node's outputs. `explain` is told which branch gives them.
std::vector<Value> values_of_branch(const Call& call, std::span<const Output> outs, std::string_view condition,
                                    const Branch& branch, bool is_then, std::span<const Value> taken);

// What operators share that evaluate the graph `body` again and again: some of its outputs are carried to the next
// iteration, the others are items, which are put together.

/// loop.empty_dims, of operators whose body may not be evaluated at all: which `is_idle` says.
Reading empty_dims_reading(std::int64_t since, bool (*is_idle)(const Call&));

/// body takes `inputs` values, and gives `own` ones and those of the node's outputs, the first of which are the
/// `carried` ones; else `invalid`.
void require_iterable(const Call& call, size_t inputs, size_t own, size_t carried);

/// Whether a condition that is true stays so in each iteration: the body hands its input, if it has one, on as its
/// output, through Identity or not, or gives a constant.
bool stays_true(const Graph& body, size_t output, std::optional<size_t> input);

/// How items lie in a tensor: along an axis, which may be negative; backwards: the last one first. Each is one element
/// of it, or, where they are joined, a part that has the axis itself.
struct Along {
  std::int64_t axis = 0;
  bool backwards = false, joined = false;
};

/// How many iterations there are, where that is known before them, and how their items lie.
struct Stacked {
  std::span<const Along> along = {};
  std::optional<std::int64_t> count = {}, batches = {};
};

/// The types of the node's outputs, of which the `carried` ones come first, where body takes `taken` and was inferred
/// to give `given`. The shapes of items are known where all iterations give the same and there is one at least; of none
/// the declared sizes decide.
std::vector<ValueType> with_types_of_items(const Call& call, std::vector<ValueType> carried, size_t own,
                                           const std::optional<std::vector<ValueType>>& given,
                                           std::span<const ValueType> taken, const Stacked& stacked = {});

/// The type of one of them: of what is put together of output `k` of body, beside `batches`.
ValueType type_of_items(const Call& call, size_t k, const std::optional<std::vector<ValueType>>& given,
                        std::span<const ValueType> taken, const Along& along, std::optional<std::int64_t> count,
                        std::optional<std::int64_t> batches = {});

/// What the attributes state for each of the items' tensors; an attribute may be omitted.
std::vector<Along> stated_along(const Call& call, std::string_view axes, std::string_view directions, size_t count);

/// The axis itself of a tensor of this rank; another one is `invalid`.
size_t axis_of(const Along& along, size_t rank, std::string_view tensor);

/// The size of an axis, which inputs have in common; else `invalid`.
void agree(std::optional<std::int64_t>& size, const Input& input, size_t axis);

/// Item number i of those of x that end at number `end`, a step towards `out`.
Tensor item_along(const Output& out, const Tensor& x, const Along& along, std::int64_t end, std::int64_t i);

/// The items that body's iterations give, for some of the node's outputs.
class GatheredItems {
 public:
  /// Those of the node's outputs from `first` on; output 0 of the node is output `own` of body.
  GatheredItems(size_t own, size_t first, std::vector<Along> along);
  /// Those of these outputs of the node.
  GatheredItems(size_t own, std::vector<size_t> outputs, std::vector<Along> along)
      : own_(own), outputs_(std::move(outputs)), along_(std::move(along)) {}
  void add(std::span<const Value> outputs);
  /// Bytes that all take, and what they become.
  std::int64_t held() const { return held_; }
  /// The node's outputs: the other ones, and the items put together; of batches, each iterated over by itself, on an
  /// axis before theirs, each filled with zeros up to the longest. They must agree. Of none the sizes are declared by
  /// body. `explain` is told how many iterations there were, or which one gives the element that it asks for.
  std::vector<Value> put_together(std::vector<Value> others, std::span<const Output> outs,
                                  const SequenceLens* batches = nullptr) &&;

 private:
  void tell(std::span<const Output> outs) const;

  size_t own_;
  std::vector<size_t> outputs_;  ///< of the node, ascending
  std::vector<Along> along_;
  std::vector<std::vector<Tensor>> items_{along_.size()};
  std::int64_t iterations_ = 0, held_ = 0;
};
}  // namespace opref::ops
