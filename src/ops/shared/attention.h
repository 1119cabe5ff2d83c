// SPDX-License-Identifier: Apache-2.0
// What attentions share: heads, which keys a query may see, scores, and the weights that they give.
#pragma once

#include <optional>
#include <vector>

#include "evaluators/programs.h"
#include "fast/attention.h"
#include "ops/shared/parameters.h"
#include "ops/shared/token_vectors.h"
#include "schema/operator.h"
namespace opref::ops {
/// The attribute `scale`, if it is given.
std::optional<double> stated_scale(const Call& call);

/// Heads: Q has `heads`, K and V have `kv_heads`, each of which serves heads/kv_heads of Q. Inputs of 3 axes have the
/// heads of a token side by side; past keys and values have 4 axes.
struct AttentionSizes {
  std::int64_t batch, heads, kv_heads, queries, keys, past, size, value_size;
  bool is_flat;  ///< 3 axes

  /// Of a batch row, how many keys are of the past, how many there are with the new ones, and how many queries.
  struct Row {
    std::int64_t past, total, queries;
  };
  std::vector<Row> rows = {};  ///< of each batch row, where they differ; else they are all alike

  /// The most that a batch row has: so many scores of a query.
  std::int64_t total() const { return past + keys; }
  Row row(std::int64_t b) const {
    return rows.empty() ? Row{past, total(), queries} : rows[static_cast<std::size_t>(b)];
  }
  std::int64_t kv_head(std::int64_t h) const { return h / (heads / kv_heads); }
  /// Where tokens lie in an input of `n` tokens and `of` heads of this size.
  TokenVectors::Places places(std::int64_t n, std::int64_t of, std::int64_t head_size) const {
    return is_flat ? TokenVectors::flat(n, of, head_size) : TokenVectors::by_head(n, of, head_size);
  }
  /// Where in Y what is made of query i begins.
  std::int64_t result(std::int64_t b, std::int64_t h, std::int64_t i) const {
    return places(queries, heads, value_size)(b, h, i);
  }
};
/// Keys or values of the past, then the new ones.
struct Presented {
  std::optional<TokenVectors> past;
  TokenVectors added;
};
/// One such after another, as they meet queries: always of 4 axes (batch, heads, tokens, size), before which an axis
/// may be that of several. Elements that are some of an input keep their bits, others are rounded; what no token has
/// is 0.
Value present(const Output& out, const AttentionSizes& z, const std::vector<Presented>& parts);
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
  /// Of Q, K, V, past_key and past_value.
  AttentionInputs(const Call& call, const AttentionSizes& sizes);
  AttentionInputs(const AttentionSizes& sizes, TokenVectors Q, Presented K, Presented V)
      : z_(sizes), Q_(std::move(Q)), K_(std::move(K)), V_(std::move(V)) {}
  const Presented& K() const { return K_; }
  const Presented& V() const { return V_; }

  /// Whether all are elements of inputs.
  bool is_plain() const { return Q_.is_plain() && K_.added.is_plain() && V_.added.is_plain(); }
  /// Whether keys or values take so long that all queries of a head shall share them.
  bool is_projected() const { return K_.added.is_projected() || V_.added.is_projected(); }

  /// The product of a query and a key, both times a number.
  exact::Faithful product_of_scaled(const Reader<exact::Faithful>& x, std::int64_t b, std::int64_t h, std::int64_t i,
                                    std::int64_t j, const exact::Faithful& by) const;
  /// Without what is added to scores, if all are elements of inputs and batch rows are alike.
  fast::Attention fast_form(const Bounded& scale, const Paired& precise_scale, double softcap) const;

 private:
  template <class R>
  friend class AttentionHead;
  /// Those among which token j of a batch row is.
  const TokenVectors& of(const Presented& parts, std::int64_t b, std::int64_t j) const {
    return j < z_.row(b).past ? *parts.past : parts.added;
  }
  std::int64_t place(std::int64_t b, std::int64_t j) const {
    const std::int64_t past = z_.row(b).past;
    return j < past ? j : j - past;
  }

  AttentionSizes z_;
  TokenVectors Q_;
  Presented K_, V_;
};

/// Of one head of Q the queries, keys and values. What is worked out is kept.
template <class R>
class AttentionHead {
 public:
  AttentionHead(const AttentionInputs& inputs, const Reader<R>& x, std::int64_t b, std::int64_t h)
      : in_(inputs), x_(x), b_(b), h_(h), kv_(inputs.z_.kv_head(h)) {}

  /// Query i times key j.
  R product(std::int64_t i, std::int64_t j) {
    const TokenVectors &Q = in_.Q_, &K = in_.of(in_.K_, b_, j);
    if (Q.is_plain() && K.is_plain())
      return attention_product(x_, Q.elements(), Q.places()(b_, h_, i), K.elements(),
                               K.places()(b_, kv_, in_.place(b_, j)), Q.size());
    if (query_at_ != i) query_ = Q.vector(x_, b_, h_, i), query_at_ = i;
    keys_.resize(static_cast<std::size_t>(in_.z_.total()));
    std::vector<R>& key = keys_[static_cast<std::size_t>(j)];
    if (key.empty()) key = K.vector(x_, b_, kv_, in_.place(b_, j));
    return x_.dot(std::span<const R>(query_), std::span<const R>(key));
  }
  /// Element d of value j.
  R value(std::int64_t j, std::int64_t d) {
    const TokenVectors& V = in_.of(in_.V_, b_, j);
    if (!V.is_projected()) return V(x_, b_, kv_, in_.place(b_, j), d);
    values_.resize(static_cast<std::size_t>(in_.z_.total() * V.size()));
    std::optional<R>& known = values_[static_cast<std::size_t>(j * V.size() + d)];
    if (!known) known = V(x_, b_, kv_, in_.place(b_, j), d);
    return *known;
  }

 private:
  const AttentionInputs& in_;
  const Reader<R>& x_;
  std::int64_t b_, h_, kv_, query_at_ = -1;
  std::vector<R> query_;
  std::vector<std::vector<R>> keys_;
  std::vector<std::optional<R>> values_;
};

/// Which keys are padding: their scores have a number added.
struct KeyPadding {
  /// Of each batch row the keys [start, end) are none, those with a 0 are, and -1.
  std::vector<std::int64_t> starts = {}, ends = {};
  std::optional<Tensor> mask = std::nullopt;  ///< (batch, keys) or (batch, queries, keys), of int32
  double fill = 0;
};

/// What is added to scores: attn_mask, -Inf where it is False or too short; a number for keys that are padding; and
/// -Inf for keys that a query may not see by is_causal, the window sizes and nonpad_kv_seqlen.
class AttentionBias {
 public:
  AttentionBias(const Call& call, const AttentionSizes& sizes);
  /// Without a call's attributes.
  struct Rules {
    std::optional<Tensor> mask = std::nullopt;  ///< of a shape that NumPy broadcasts to batch, heads, queries, keys
    bool is_causal = false;
    bool last_sees_all = false;  ///< whatever is_causal says, the last query
    std::int64_t left = -1;      ///< so many keys before a query's own can be seen; -1: all
    std::optional<KeyPadding> padding = std::nullopt;
  };
  AttentionBias(const AttentionSizes& sizes, const Rules& rules);
  /// The shapes of attn_mask and nonpad_kv_seqlen; each rule that needs no values.
  static void check(const Call& call, const AttentionSizes& sizes);

  bool is_masked(std::int64_t b, std::int64_t h, std::int64_t i, std::int64_t j) const;
  /// Whether it is -Inf for each key: "a row whose bias is all -Inf".
  bool hides_all(std::int64_t b, std::int64_t h, std::int64_t i) const;
  /// Whether there is none.
  bool is_nothing() const { return !mask_ && !padding_ && !is_causal_ && left_ < 0 && right_ < 0 && lengths_.empty(); }
  /// What is added for queries [first, first + n): 0 where there is no such number, +Inf where it is NaN or
  /// no double.
  void added(std::int64_t b, std::int64_t h, std::int64_t first, std::int64_t n, std::int64_t j, double* to) const;
  /// What is added to a score; nothing where there is no such number.
  template <class R>
  std::optional<R> number(const Reader<R>& x, std::int64_t b, std::int64_t h, std::int64_t i, std::int64_t j) const {
    if (is_masked(b, h, i, j)) return R(-std::numeric_limits<double>::infinity());
    std::optional<R> number;
    if (mask_ && !is_truth_) number = x(*mask_, mask_at(b, h, i, j));
    if (is_padding(b, i, j)) number = number ? *number + R(padding_->fill) : R(padding_->fill);
    return number;
  }

 private:
  bool may_see(std::int64_t b, std::int64_t i, std::int64_t j) const;
  bool is_padding(std::int64_t b, std::int64_t i, std::int64_t j) const;
  /// Whether -Inf is added.
  bool hides(std::int64_t b, std::int64_t h, std::int64_t i, std::int64_t j) const;
  std::int64_t mask_at(std::int64_t b, std::int64_t h, std::int64_t i, std::int64_t j) const {
    return b * mask_strides_[0] + h * mask_strides_[1] + i * mask_strides_[2] + j * mask_strides_[3];
  }

  AttentionSizes sizes_;
  std::optional<Elements> mask_;
  Dims mask_strides_;
  std::int64_t columns_ = 0;  ///< of the mask, repeated ones included
  bool is_truth_ = false, is_causal_, last_sees_all_ = false;
  std::int64_t left_, right_ = -1;  ///< window sizes; -1 where there is none
  std::vector<std::int64_t> lengths_;
  std::optional<KeyPadding> padding_;
};

/// An attention of any domain:
///   S = scale·Q·K^T,  S' = softcap·tanh(S/softcap),  B = S' + bias,  P = softmax(B),  Y = P·V
struct AttentionNode {
  AttentionSizes z;
  AttentionInputs inputs;
  AttentionBias bias;
  std::optional<double> scale, root = std::nullopt;   ///< root: Q and K are each multiplied by it instead
  double softcap = 0;                                 ///< 0: none
  std::int64_t mode = 0;                              ///< the scores of the second output: S or S', S', B, P
  bool raw = false;                                   ///< of mode 0: S
  bool counted = true;                                ///< a masked key's value takes part, times 0
  bool empty_is_nan = false;                          ///< the row of a query that sees no key: 0/0, else 0
  std::optional<Tensor> sinks = std::nullopt;         ///< of each head one more score, which has no value
  std::optional<double> masked_score = std::nullopt;  ///< in the second output, where is_masked
};
/// attention.masked_row: what a query gives that sees no key.
Reading masked_row_reading(std::int64_t since, bool (*may_change_values)(const Call&));
/// Y and the scores, which are worked out like that where bounds are told.
std::vector<Value> attention_by(std::span<const Output> outs, const AttentionNode& node,
                                Scaled scaled = Scaled::product);
namespace onnx {
inline namespace file_attention {
std::vector<Value> attention_by(const Call& call, std::span<const Output> outs, Scaled scaled);
}  // namespace file_attention
}  // namespace onnx
}  // namespace opref::ops
