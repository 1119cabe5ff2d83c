// SPDX-License-Identifier: Apache-2.0
// What the attentions of com.microsoft share: scale, masks of padding, attention_bias, projections.
#pragma once

#include <optional>
#include <vector>

#include "ops/shared/attention.h"
namespace opref::ops {
/// `unsupported` where the input is given.
void require_unsaid(const Call& call, std::string_view input);
/// `unsupported` where the attribute is 1.
void require_off(const Call& call, std::string_view attribute);

/// "Default value is 1/sqrt(head_size)": where scale is not given, or 0.
std::optional<double> contrib_scale(const Call& call);
/// attention_bias has shape (batch_size or 1, num_heads or 1, sequence_length, total_sequence_length). Without the
/// last one where `total` is not known.
void check_attention_bias(const Call& call, const AttentionSizes& z, std::optional<std::int64_t> total);

/// Which mask of padding one input is, by its shape.
enum class MaskKind : std::uint8_t { ends, ends_and_starts, keys, queries_and_keys };
/// The shapes that it may have, with (2·batch) or not; what opref does not know is `unsupported`.
MaskKind padding_of(const Call& call, std::string_view mask, const AttentionSizes& z, bool may_have_starts);
/// What is added to scores: attention_bias, mask_filter_value where the mask says padding, and -Inf for later keys if
/// unidirectional, unless attention.single_query lets the last query see them.
AttentionBias contrib_bias(const Call& call, std::string_view mask, const AttentionSizes& z);
/// attention.fill
Reading fill_reading(bool (*may_change_values)(const Call&));

/// Attention and QAttention: sizes of queries, keys and values, which are projections of one input.
struct ProjectedSizes {
  AttentionSizes z;
  std::int64_t inputs, columns;  ///< of weights
};
/// Of input and weights with these hidden sizes of Q, K and V; the rules of mask_index and past.
ProjectedSizes projected_sizes(const Call& call, std::string_view weights, const Dims& hidden);
/// output and present.
std::vector<ValueType> projected_types(const Call& call, const ProjectedSizes& sizes, DType dtype);
std::vector<Value> projected_attention(const Call& call, std::span<const Output> outs, const ProjectedSizes& sizes,
                                       Projection projection, std::int64_t x_zero_point);
}  // namespace opref::ops
