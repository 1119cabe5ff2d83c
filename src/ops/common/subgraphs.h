// SPDX-License-Identifier: Apache-2.0
// What operators share that evaluate subgraphs.
#pragma once

#include "exact/real/interval.h"
#include "exact/term_sink.h"
#include "schema/operator.h"

namespace opref::ops {

/// The subgraph takes `inputs` values and gives `outputs`; else `invalid`.
void require_graph(const Call& call, std::string_view attribute, size_t inputs, size_t outputs);

/// The types of the outputs of a subgraph that may not be evaluated; nothing where it does not fit what it is given, or
/// where values decide what fits.
std::optional<std::vector<ValueType>> types_without_values(const Call& call, std::string_view attribute,
                                                           std::span<const ValueType> inputs);

/// What input `k` of the subgraph is given has the element type and the form that the graph declares; else `invalid`.
void require_takes(const Call& call, std::string_view attribute, size_t k, const ValueType& type);

/// An input that is given has one element, of any rank; else `invalid`.
void require_single(const Call& call, std::string_view input);

/// Whether a tensor is one bool, and true.
bool is_true(const Tensor& tensor);
/// Whether a condition that is true stays so in each iteration: the body hands its input on as its output, through
/// Identity or not, or gives a constant.
bool stays_true(const Graph& body, size_t output, size_t input);

/// What a body that is evaluated once per item gives to be put together: its output `k`, a tensor; else `invalid`.
const Tensor& item_of(std::span<const Value> outputs, size_t k);

/// What a body that is evaluated again and again gives to be put together: its outputs from `first` on.
class GatheredItems {
 public:
  GatheredItems(size_t first, size_t count) : first_(first), items_(count) {}
  void add(std::span<const Value> outputs);
  /// Of the output number first + k.
  std::vector<Tensor>& of(size_t k) { return items_[k]; }
  size_t count() const { return items_.size(); }
  /// Bytes that all take, and what they become.
  std::int64_t held() const { return held_; }

 private:
  size_t first_;
  std::vector<std::vector<Tensor>> items_;
  std::int64_t held_ = 0;
};

/// Tells `explain` of the element that it asks for: says(output, place) is the name of a part and its number.
template <class F>
void tell_asked(std::span<const Output> outs, const F& says) {
  for (const Output& out : outs) {
    if (out.sink() == nullptr || !out.only()) continue;
    const std::pair<std::string, std::int64_t> part = says(out, *out.only());
    out.sink()->real(part.first, Interval(static_cast<double>(part.second)));
  }
}

/// loop.empty_dims, of operators whose body may not be evaluated at all: which `is_idle` says.
Reading empty_dims_reading(std::int64_t since, bool (*is_idle)(const Call&));
/// Of the items of output `k` of a body that was not evaluated: as the graph declares them.
Dims declared_item(const Call& call, std::string_view attribute, size_t k);

/// The items of output `k` of a body on a new axis of out, whose shape they decide; the axis may be negative. They must
/// agree. Of none the other sizes are those of declared_item.
Tensor stacked_items(const Output& out, std::span<const Tensor> items, std::int64_t axis, std::string_view attribute,
                     size_t k);

/// What body's output `k` becomes where its items are put together: by the types that it was inferred to give for
/// `taken`, else by its declaration.
ValueType type_of_items(const Call& call, const std::optional<std::vector<ValueType>>& given,
                        std::span<const ValueType> taken, size_t k);

/// Versions 13 to 25 of an operator whose values "V" are those of a graph.
Operator with_types_of_graphs(Operator op);

/// What subgraphs give, types of the type variable; else `invalid`, with the version that has the type.
void require_given_types(const Call& call, std::string_view variable, std::span<const ValueType> types);

}  // namespace opref::ops
