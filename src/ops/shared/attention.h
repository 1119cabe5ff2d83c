// SPDX-License-Identifier: Apache-2.0
// What attentions share: heads, which keys a query may see, scores, and the weights that they give.
#pragma once

#include <optional>
#include <vector>

#include "evaluators/programs.h"
#include "fast/attention.h"
#include "ops/shared/parameters.h"
#include "schema/operator.h"
namespace opref::ops {
/// The attribute `scale`, if it is given.
std::optional<double> stated_scale(const Call& call);

/// Heads: Q has `heads`, K and V have `kv_heads`, each of which serves heads/kv_heads of Q. Inputs of 3 axes have the
/// heads of a token side by side; past keys and values have 4 axes.
struct AttentionSizes {
  std::int64_t batch, heads, kv_heads, queries, keys, past, size, value_size;
  bool is_flat;  ///< 3 axes

  std::int64_t total() const { return past + keys; }
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
  /// From a token's head to that of the next token, in the same input.
  std::int64_t step(std::int64_t of, std::int64_t head_size) const { return (is_flat ? of : 1) * head_size; }
  std::int64_t past_key(std::int64_t b, std::int64_t h, std::int64_t j, std::int64_t head_size) const {
    return ((b * kv_heads + kv_head(h)) * past + j) * head_size;
  }
};
/// The keys or values of the past, then the new ones: always of 4 axes.
Value present(const Call& call, const Output& out, const AttentionSizes& z, std::string_view past,
              std::string_view added);
/// Of Q, K and V and, where the schema has them, q_num_heads, kv_num_heads, past_key and past_value; each rule.
AttentionSizes attention_sizes(const Call& call);

/// How kernels come to scores: the products of queries and keys times the scale, or queries and keys each times its
/// root.
enum class Scaled : std::uint8_t { product, factors };
/// The number that scores are multiplied with: the one that is stated, else 1/√size.
template <class R>
R attention_scale(std::optional<double> stated, std::int64_t size) {
  return stated ? R(*stated) : R(1.0) / sqrt(R::whole(size));
}
/// Its root, rounded to the type.
double attention_scale_root(std::optional<double> stated, std::int64_t size, DType dtype);

/// A score for each key. Where scores are a transcendental function of numbers, and a bias added, these tell which
/// scores are equal; else both lists are empty.
template <class R>
struct AttentionScores {
  std::vector<R> scores, arguments = {}, biases = {};
};

/// Keys with equal scores.
struct AttentionGroups {
  std::vector<std::size_t> of_key;  ///< the group of each key, in the order of their first keys
  std::vector<std::int64_t> keys;   ///< how many a group has
  std::vector<Interval> scores;
  std::size_t greatest;  ///< the group of a greatest score
};
/// As far as the precision tells; nothing unless all scores are numbers or -Inf, and one is a number.
std::optional<AttentionGroups> groups_of(const AttentionScores<Interval>& of);

/// e^(score - greatest) of each score, and their sum: a weight of the softmax is a power divided by it.
template <class R>
struct AttentionWeights {
  std::vector<R> powers;
  R sum;
  std::optional<AttentionGroups> groups = {};  ///< of Interval
};
std::vector<Interval> powers_of(const AttentionGroups& groups);

template <class F>
__attribute__((flatten)) OPREF_CLONES void estimate_each(const Bounded* x, std::size_t n, const F& f, Bounded* y) {
  OPREF_INDEPENDENT
  for (std::size_t k = 0; k < n; ++k) y[k] = f(x[k]);
}
/// f of each number.
template <class R, class F>
std::vector<R> each(const std::vector<R>& x, const F& f) {
  std::vector<R> y;
  if constexpr (std::is_same_v<R, Bounded>) {
    y.resize(x.size(), 0.0);
    estimate_each(x.data(), x.size(), f, y.data());
  } else {
    for (const R& number : x) y.push_back(f(number));
  }
  return y;
}
template <class R>
AttentionWeights<R> attention_weights(const Reader<R>& x, const AttentionScores<R>& of) {
  const std::vector<R>& scores = of.scores;
  if (scores.empty()) return {{}, R(1.0)};
  AttentionWeights<R> w{{}, x.zero()};
  SumOf<R> sum;
  R most = scores[0];
  for (const R& score : scores) most = max(most, score);
  if constexpr (std::is_same_v<R, Interval>) w.groups = groups_of(of);
  if constexpr (std::is_same_v<R, Interval>)
    if (w.groups) w.powers = powers_of(*w.groups);
  if (w.powers.empty()) {
    const R shift = is_finite(most) ? most : R(0.0);
    w.powers = each(scores, [shift](const R& score) { return exp(score - shift); });
    const auto first = std::ranges::find_if(scores, [](const R& score) { return is_finite(score); });
    const bool is_alone = std::ranges::count_if(scores, [](const R& score) { return is_finite(score); }) == 1;
    if (is_alone && is_finite(most))  // e^0, whatever the score's interval
      w.powers[static_cast<std::size_t>(first - scores.begin())] = R(1.0);
  }
  for (const R& power : w.powers) sum.add(power);
  w.sum = sum.total();
  x.named("the greatest score", most);
  x.named("the sum of e^(score - greatest)", w.sum);
  return w;
}

/// The mean of a number per key by its weight. Powers of e of different algebraic numbers are linearly independent over
/// the algebraic numbers (Lindemann, Weierstrass). So the mean is rational only if every group has the same, and that
/// is known; one beside it lies on a side that their differences tell, however small the powers are.
class MeanOfGroups {
 public:
  explicit MeanOfGroups(const AttentionWeights<Interval>& weights) : weights_(weights) {}
  /// Once per key whose number takes part, in order. One that does not has the power 0.
  void add(std::int64_t key, const Interval& number);
  /// Nothing where a number was not finite.
  std::optional<Interval> result() const;

 private:
  const AttentionWeights<Interval>& weights_;
  std::vector<Interval> sums_ = {}, powers_ = {};  ///< of groups
  bool are_finite_ = true;
};
/// Σ power·value(j) / Σ power over all keys j for which skips(j) is false; +0 without keys.
template <class R, class Value, class Skips>
R attention_mean(const Reader<R>& x, const AttentionWeights<R>& weights, const Value& value, const Skips& skips) {
  const std::int64_t keys = std::ssize(weights.powers);
  if constexpr (std::is_same_v<R, Interval>) {
    if (weights.groups) {
      MeanOfGroups mean(weights);
      for (std::int64_t j = 0; j < keys; ++j)
        if (!skips(j)) mean.add(j, value(j));
      if (const auto result = mean.result()) return *result;
    }
  }
  SumOf<R> sum;
  for (std::int64_t j = 0; j < keys; ++j)
    if (!skips(j)) sum.add(weights.powers[static_cast<std::size_t>(j)] * value(j));
  return keys == 0 ? x.zero() : sum.total() / weights.sum;
}

/// Σ a[i + k]·b[j + k], k < n
Bounded estimated_dot(const Elements& a, std::int64_t i, const Elements& b, std::int64_t j, std::int64_t n);
template <class R>
R attention_product(const Reader<R>& x, const Elements& a, std::int64_t i, const Elements& b, std::int64_t j,
                    std::int64_t n) {
  if constexpr (std::is_same_v<R, Bounded>)
    if (a.is_narrow() && b.is_narrow()) return estimated_dot(a, i, b, j, n);
  return x.dot(a, i, b, j, n);
}

/// Q, K, V and the past of both, whose elements meet in two matrix products.
class AttentionInputs {
 public:
  AttentionInputs(const Call& call, const AttentionSizes& sizes);
  /// Without a past.
  AttentionInputs(const AttentionSizes& sizes, const Tensor& Q, const Tensor& K, const Tensor& V);

  /// Query i times key j, of head h of Q.
  template <class R>
  R product(const Reader<R>& x, std::int64_t b, std::int64_t h, std::int64_t i, std::int64_t j) const {
    const std::int64_t query = z_.query(b, h, i, z_.size);
    return j < z_.past ? attention_product(x, Q_, query, *past_K_, z_.past_key(b, h, j, z_.size), z_.size)
                       : attention_product(x, Q_, query, K_, z_.key(b, h, j, z_.size), z_.size);
  }
  /// The same of both times a number.
  exact::Faithful product_of_scaled(const Reader<exact::Faithful>& x, std::int64_t b, std::int64_t h, std::int64_t i,
                                    std::int64_t j, const exact::Faithful& by) const;
  /// Element d of value j.
  template <class R>
  R value(const Reader<R>& x, std::int64_t b, std::int64_t h, std::int64_t j, std::int64_t d) const {
    return j < z_.past ? x(*past_V_, z_.past_key(b, h, j, z_.value_size) + d)
                       : x(V_, z_.key(b, h, j, z_.value_size) + d);
  }

  /// Without what is added to scores.
  fast::Attention fast_form(const Bounded& scale, const Paired& precise_scale, double softcap) const;

 private:
  AttentionSizes z_;
  std::vector<Tensor> tensors_;  ///< Q, K, V and the past of both
  Elements Q_, K_, V_;
  std::optional<Elements> past_K_, past_V_;
};

/// What is added to scores: attn_mask, -Inf where it is False or too short, and -Inf for keys that a query may not see
/// by is_causal, the window sizes and nonpad_kv_seqlen.
class AttentionBias {
 public:
  AttentionBias(const Call& call, const AttentionSizes& sizes);
  /// Of a mask alone, with the shape that NumPy broadcasts to batch, heads, queries and keys; or causal.
  AttentionBias(const AttentionSizes& sizes, const std::optional<Tensor>& mask, bool is_causal);
  /// The shapes of attn_mask and nonpad_kv_seqlen; each rule that needs no values.
  static void check(const Call& call, const AttentionSizes& sizes);

  bool is_masked(std::int64_t b, std::int64_t h, std::int64_t i, std::int64_t j) const;
  /// Whether it is -Inf for each key: "a row whose bias is all -Inf".
  bool hides_all(std::int64_t b, std::int64_t h, std::int64_t i) const;
  /// Whether there is none.
  bool is_nothing() const { return !mask_ && !is_causal_ && left_ < 0 && right_ < 0 && lengths_.empty(); }
  /// What is added for queries [first, first + n): 0 where there is no such number, +Inf where it is NaN or
  /// no double.
  void added(std::int64_t b, std::int64_t h, std::int64_t first, std::int64_t n, std::int64_t j, double* to) const;
  /// What is added to a score; nothing where there is no such number.
  template <class R>
  std::optional<R> number(const Reader<R>& x, std::int64_t b, std::int64_t h, std::int64_t i, std::int64_t j) const {
    if (is_masked(b, h, i, j)) return R(-std::numeric_limits<double>::infinity());
    return mask_ && !is_truth_ ? std::optional(x(*mask_, mask_at(b, h, i, j))) : std::nullopt;
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

/// An attention of either domain:
///   S = scale·Q·K^T,  S' = softcap·tanh(S/softcap),  B = S' + bias,  P = softmax(B),  Y = P·V
struct AttentionNode {
  AttentionSizes z;
  AttentionInputs inputs;
  AttentionBias bias;
  std::optional<double> scale, root = std::nullopt;  ///< root: Q and K are each multiplied by it instead
  double softcap = 0;                                ///< 0: none
  std::int64_t mode = 0;                             ///< the scores of the second output: S or S', S', B, P
  bool raw = false;                                  ///< of mode 0: S
  bool counted = true;                               ///< a masked key's value takes part, times 0
  bool empty_is_nan = false;                         ///< the row of a query that sees no key: 0/0, else 0
};
/// attention.masked_row: what a query gives that sees no key.
Reading masked_row_reading(std::int64_t since, bool (*may_change_values)(const Call&));
namespace onnx {
/// Y and the scores, which are worked out like that where bounds are told.
std::vector<Value> attention_by(std::span<const Output> outs, const AttentionNode& node, Scaled scaled);
/// Attention.
std::vector<Value> attention_by(const Call& call, std::span<const Output> outs, Scaled scaled);
}  // namespace onnx
}  // namespace opref::ops
