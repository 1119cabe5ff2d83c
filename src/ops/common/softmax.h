// SPDX-License-Identifier: Apache-2.0
// What Softmax, LogSoftmax and Hardmax share: what a slice is, versions, and a reading.
#pragma once

#include "evaluators/slices.h"
#include "schema/operator.h"

namespace opref::ops {

/// The input seen as (outer, n, inner): slices of n elements, inner apart.
struct SliceAxes {
  std::int64_t outer, n, inner;
};
/// 1, 11: "The operator first coerces the input into a 2-dimensional tensor": a slice is all axes from `axis` on.
SliceAxes slice_axes(const Call& call);

/// Versions 1, 11 and 13, and their output types.
Operator softmax_operator(std::string_view op_type);

/// softmax.plus_infinity, of the first input: which elements of a row with +Inf are NaN.
Reading plus_infinity_reading(std::int64_t since, std::string_view per_element, std::string_view reason);
bool has_nan_rows(const Call& call);

/// Of a formula of slices.
template <class F>
std::vector<Value> each_slice(const Call& call, std::span<const Output> outs, const F& formula) {
  const auto [outer, n, inner] = slice_axes(call);
  return {slices(outs[0], call.input("input"), outer, n, inner, formula)};
}

}  // namespace opref::ops
