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

}  // namespace opref::ops
