// SPDX-License-Identifier: Apache-2.0
// What operators share that evaluate the graph `body` again and again: some of its outputs are carried to the next
// iteration, the others are items, which are put together.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "ops/common/sequence_lens.h"
#include "schema/operator.h"

namespace opref::ops {

/// loop.empty_dims, of operators whose body may not be evaluated at all: which `is_idle` says.
Reading empty_dims_reading(std::int64_t since, bool (*is_idle)(const Call&));

/// body takes `inputs` values, and gives `own` ones and those of the node's outputs, the first of which are the
/// `carried` ones; else `invalid`.
void require_iterable(const Call& call, size_t inputs, size_t own, size_t carried);

/// Whether a condition that is true stays so in each iteration: the body hands its input on as its output, through
/// Identity or not, or gives a constant.
bool stays_true(const Graph& body, size_t output, size_t input);

/// How items lie in a tensor: along an axis, which may be negative; backwards: the last one first.
struct Along {
  std::int64_t axis = 0;
  bool backwards = false;
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

/// What the attributes state for each of the items' tensors; an attribute may be omitted.
std::vector<Along> stated_along(const Call& call, std::string_view axes, std::string_view directions, size_t count);

/// The axis itself of a tensor of this rank; another one is `invalid`.
size_t axis_of(const Along& along, size_t rank, std::string_view tensor);

/// The size of an axis, which inputs have in common; else `invalid`.
void agree(std::optional<std::int64_t>& size, const Input& input, size_t axis);

/// Item number i of those of x that end at number `end`, a step towards `out`.
Tensor item_along(const Output& out, const Tensor& x, const Along& along, std::int64_t end, std::int64_t i);

/// The items that body's iterations give: those of its outputs from `first` on.
class GatheredItems {
 public:
  GatheredItems(size_t first, std::vector<Along> along) : first_(first), along_(std::move(along)) {}
  void add(std::span<const Value> outputs);
  /// Bytes that all take, and what they become.
  std::int64_t held() const { return held_; }
  /// The node's outputs: after the `carried` ones the items put together; of batches, each iterated over by itself, on
  /// an axis before theirs, each filled with zeros up to the longest. They must agree. Of none the sizes are declared
  /// by body. `explain` is told how many iterations there were, or which one gives the element that it asks for.
  std::vector<Value> put_together(std::vector<Value> carried, std::span<const Output> outs,
                                  const SequenceLens* batches = nullptr) &&;

 private:
  void tell(std::span<const Output> outs) const;

  size_t first_;
  std::vector<Along> along_;
  std::vector<std::vector<Tensor>> items_{along_.size()};
  std::int64_t iterations_ = 0, held_ = 0;
};

}  // namespace opref::ops
