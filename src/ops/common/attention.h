// SPDX-License-Identifier: Apache-2.0
// What attentions share: heads, which keys a query may see, scores, and the weights that they give.
#pragma once

#include <optional>
#include <vector>

#include "families/programs.h"
#include "families/row.h"
#include "ops/common/mistakes.h"
#include "schema/operator.h"

namespace opref::ops {

/// The input's elements, if it is given.
std::optional<Elements> elements_of(const Call& call, std::string_view input);

/// Heads: Q has `heads`, K and V have `kv_heads`, each of which serves heads/kv_heads of Q. Inputs of 3 axes have the
/// heads of a token side by side; past keys and values have 4 axes.
struct AttentionSizes {
  std::int64_t batch, heads, kv_heads, queries, keys, past, size, value_size;
  bool is_flat;  ///< 3 axes

  std::int64_t total() const { return past + keys; }
  std::int64_t rows() const { return batch * heads * queries; }
  std::int64_t kv_head(std::int64_t h) const { return h / (heads / kv_heads); }
  /// Where a token's head begins in an input of `n` tokens and `of` heads of this size.
  std::int64_t at(std::int64_t b, std::int64_t h, std::int64_t token, std::int64_t of, std::int64_t n,
                  std::int64_t head_size) const {
    return (is_flat ? (b * n + token) * of + h : (b * of + h) * n + token) * head_size;
  }
  /// Of the query of head h, in Q, or with value_size in Y.
  std::int64_t query(std::int64_t b, std::int64_t h, std::int64_t i, std::int64_t head_size) const {
    return at(b, h, i, heads, queries, head_size);
  }
  /// Of the key or value that serves head h of Q: in K or V, and in those of the past.
  std::int64_t key(std::int64_t b, std::int64_t h, std::int64_t j, std::int64_t head_size) const {
    return at(b, kv_head(h), j - past, kv_heads, keys, head_size);
  }
  std::int64_t past_key(std::int64_t b, std::int64_t h, std::int64_t j, std::int64_t head_size) const {
    return ((b * kv_heads + kv_head(h)) * past + j) * head_size;
  }
};
/// Of Q, K and V and, where the schema has them, q_num_heads, kv_num_heads, past_key and past_value; each rule.
AttentionSizes attention_sizes(const Call& call);

/// The number that scores are multiplied with: the one that is stated, else 1/√size.
template <class R>
R attention_scale(std::optional<double> stated, std::int64_t size) {
  return stated ? R(*stated) : R(1.0) / sqrt(R(static_cast<double>(size)));
}

/// e^(score - greatest) of each score, and their sum: a weight of the softmax is a power divided by it.
template <class R>
struct AttentionWeights {
  std::vector<R> powers;
  R sum;
};
template <class R>
AttentionWeights<R> attention_weights(const Reader<R>& x, const std::vector<R>& scores) {
  if (scores.empty()) return {{}, R(1.0)};
  AttentionWeights<R> w{{}, x.zero()};
  R most = scores[0];
  for (const R& score : scores) most = max(most, score);
  const bool is_alone = std::ranges::count_if(scores, [](const R& score) { return is_finite(score); }) == 1;
  for (const R& score : scores) {
    const bool is_one = is_alone && is_finite(score) && is_finite(most);  // e^0, whatever the score's interval
    w.powers.push_back(is_one ? R(1.0) : exp(is_finite(most) ? score - most : score));
    w.sum = w.sum + w.powers.back();
  }
  x.named("the greatest score", most);
  x.named("the sum of e^(score - greatest)", w.sum);
  return w;
}

/// What is added to scores: attn_mask, -Inf where it is False or too short, and -Inf for keys that a query may not see
/// by is_causal, the window sizes and nonpad_kv_seqlen.
class AttentionBias {
 public:
  AttentionBias(const Call& call, const AttentionSizes& sizes);
  /// The shapes of attn_mask and nonpad_kv_seqlen; each rule that needs no values.
  static void check(const Call& call, const AttentionSizes& sizes);

  bool is_masked(std::int64_t b, std::int64_t h, std::int64_t i, std::int64_t j) const;
  /// Whether it is -Inf for each key: "a row whose bias is all -Inf".
  bool hides_all(std::int64_t b, std::int64_t h, std::int64_t i) const;
  /// score + bias
  template <class R>
  R added(const Reader<R>& x, const R& score, std::int64_t b, std::int64_t h, std::int64_t i, std::int64_t j) const {
    if (is_masked(b, h, i, j)) return score + R(-std::numeric_limits<double>::infinity());
    return mask_ && !is_truth_ ? score + x(*mask_, mask_at(b, h, i, j)) : score;
  }

 private:
  bool may_see(std::int64_t b, std::int64_t i, std::int64_t j) const;
  std::int64_t mask_at(std::int64_t b, std::int64_t h, std::int64_t i, std::int64_t j) const {
    return b * mask_strides_[0] + h * mask_strides_[1] + i * mask_strides_[2] + j * mask_strides_[3];
  }

  AttentionSizes sizes_;
  std::optional<Elements> mask_;
  Dims mask_strides_;
  std::int64_t columns_ = 0;  ///< of the mask, repeated ones included
  bool is_truth_ = false, is_causal_;
  std::int64_t left_, right_;  ///< window sizes; -1 where there is none
  std::vector<std::int64_t> lengths_;
};

/// Of a kernel with Attention's names.
std::vector<Mistake> attention_mistakes();

}  // namespace opref::ops
