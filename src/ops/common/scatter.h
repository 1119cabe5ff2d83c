// SPDX-License-Identifier: Apache-2.0
// What the operators share that write updates into data, or combine them with what is there.
#pragma once

#include <vector>

#include "schema/operator.h"

namespace opref::ops {

/// Versions 16 and 18 of the operators that have the attribute `reduction`.
void with_reduction(OpSchema& s);
void with_extreme_reductions(OpSchema& s);
/// scatter.duplicates, of the versions since `first`.
Reading duplicates_reading(std::int64_t first);
/// scatter.rounding and scatter.bool, of the versions with reductions.
Reading scatter_rounding_reading();
Reading scatter_bool_reading();

/// The type of data; a reduction that its elements do not have is `invalid`.
std::vector<ValueType> scatter_types(const Call& call);

/// output = data; then output[places[e]] = updates[e] for e ascending, or, by `reduction`, output[i] is the sum, the
/// product, the greatest or the least of data[i] and all updates that reach it, rounded once; of bool OR and AND.
std::vector<Value> scattered(const Call& call, std::span<const Output> outs, const std::vector<std::int64_t>& places);

/// Of Scatter and ScatterElements, whose indices place each update but along an axis at its own coordinates.
std::vector<ValueType> scatter_elements_types(const Call& call);
std::vector<Note> scatter_elements_notes(const Call& call);

/// Whether the values of all inputs are known.
bool knows_updates(const Call& call);
/// A warning where updates that differ reach one element and nothing combines them.
std::vector<Note> scatter_notes(const Call& call, const std::vector<std::int64_t>& places);

}  // namespace opref::ops
