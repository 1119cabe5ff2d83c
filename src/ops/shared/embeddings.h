// SPDX-License-Identifier: Apache-2.0
// Bags of rows of a table, each bag summed: EmbeddingBag… and EmbeddingSegmentsSum of OpenVINO.
#pragma once

#include <vector>

#include "schema/operator.h"
namespace opref::ops {
/// The inputs emb_table and indices, and the types that all have; what else an operation has follows.
OpSchema& add_table(OpSchema& s);
/// The inputs default_index and per_sample_weights.
OpSchema& add_default_and_weights(OpSchema& s);

/// One row of emb_table's type for each of `bags`: each rule of what all have, but for values.
std::vector<ValueType> bag_types(const Call& call, std::int64_t bags);

/// output[b, …] = Σ of per_sample_weights[k]·emb_table[indices[k], …] for k from first[b] up to before first[b + 1], or
/// its mean; of an empty bag the row default_index, or zeros where that is omitted or -1. Floats are rounded once,
/// integers are modulo 2^bits, their mean is truncated. An index that is no row is `invalid`.
std::vector<Value> bag_sums(const Call& call, std::span<const Output> outs, const std::vector<std::int64_t>& first);

/// The input's numbers, which ascend from 0 or more to at most `most`.
std::vector<std::int64_t> ascending(const Call& call, std::string_view input, std::int64_t most = INT64_MAX);
/// Where in an ascending list those begin that are 0, 1, …, count - 1, and where they end: count + 1 places.
std::vector<std::int64_t> begins_of(const std::vector<std::int64_t>& ascending, std::int64_t count);
}  // namespace opref::ops
