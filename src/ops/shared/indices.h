// SPDX-License-Identifier: Apache-2.0
// The input indices: places of elements and slices in the input data, and what is scattered there.
#pragma once

#include <span>
#include <vector>

#include "evaluators/move.h"
#include "schema/operator.h"
namespace opref::ops {
// The input indices: places along axes of the input data.

/// gather.v1_negative, of a version `since` whose page does not say whether indices may be negative, until `changed`.
Reading negative_index_reading(std::int64_t since, std::int64_t changed);

/// The indices, which are along these axes of data in turn: negative ones count from the end, unless the operator's
/// reading refuses them. One out of range is `invalid`, with its place.
std::vector<std::int64_t> indices_along(const Call& call, std::span<const size_t> axes);
inline std::vector<std::int64_t> indices_along(const Call& call, size_t axis) {
  return indices_along(call, std::span(&axis, 1));
}

/// The axis of data that GatherElements and ScatterElements work along: indices have data's rank, and no axis but this
/// is longer than that of data.
size_t elements_axis(const Call& call);
/// Of each index the place in data that it names: its own coordinates, but the index along the axis.
SlicePlaces elements_places(const Call& call);

/// Where GatherND and ScatterND find slices of data: the last axis of indices names a place in the `depth` axes of data
/// after the first `batch`, whose elements follow.
struct NamedSlices {
  size_t batch, depth;
  std::int64_t size;  ///< elements of a slice
  SlicePlaces places(const Call& call) const;
};
NamedSlices named_slices(const Call& call, size_t batch);

// What the operators share that write updates into data, or combine them with what is there.

/// Versions 16 and 18 of the operators that have the attribute `reduction`.
void with_reduction(OpSchema& s);
void with_extreme_reductions(OpSchema& s);
/// scatter.duplicates, of the versions since `first`.
Reading duplicates_reading(std::int64_t first);
/// scatter.rounding and scatter.bool, of the versions with reductions.
Reading scatter_rounding_reading(std::int64_t first = 16);
Reading scatter_bool_reading(std::int64_t first = 16);

/// The type of data; a reduction that its elements do not have is `invalid`.
std::vector<ValueType> scatter_types(const Call& call);

/// output = data; then output[places[e]] = updates[e] for e ascending, or, by `reduction`, output[i] is the sum, the
/// product, the greatest or the least of data[i] and all updates that reach it, rounded once; of bool OR and AND. The
/// words of `reduction` are in this order; a sixth one is the mean, of integers rounded down, or, where the operator
/// says so, the difference, of bool XOR. Without use_init_val, where the operator has it, data[i] does not count.
std::vector<Value> scattered(const Call& call, std::span<const Output> outs, const SlicePlaces& places);

/// Of Scatter and ScatterElements, whose indices place each update but along an axis at its own coordinates.
std::vector<ValueType> scatter_elements_types(const Call& call);
std::vector<Note> scatter_elements_notes(const Call& call);

/// Whether the values of all inputs are known.
bool knows_updates(const Call& call);
/// A warning where updates that differ reach one element and nothing combines them.
std::vector<Note> scatter_notes(const Call& call, const SlicePlaces& places);
}  // namespace opref::ops
