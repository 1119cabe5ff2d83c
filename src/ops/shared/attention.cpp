// SPDX-License-Identifier: Apache-2.0
#include "ops/shared/attention.h"
#include <algorithm>
#include <map>

#include "core/error.h"
#include "evaluators/move.h"
#include "exact/real/equal_numbers.h"
#include "exact/storage.h"
namespace opref::ops {
namespace {
std::int64_t window(const Call& call, std::string_view attribute) {
  return call.has_here(attribute) ? call.integer(attribute) : -1;
}

std::int64_t heads_of(const Call& call, std::string_view attribute, std::string_view input, bool is_flat) {
  const Dims& x = call.type(input).shape;
  if (is_flat) {
    const std::int64_t heads = call.integer(attribute);
    require(x[2] % heads == 0, "{} has shape {}, whose last axis is no multiple of {} {}", input, x, attribute, heads);
    return heads;
  }
  require(call.version() < 25 || !call.has_here(attribute),
          "attribute '{}' is {}, but {} of 4 axes says its heads itself", attribute,
          call.has_here(attribute) ? call.integer(attribute) : 0, input);
  return x[1];
}

/// From 24 on a mask of fewer keys goes on with -Inf; one of a single key is such a mask, or is broadcast.
bool is_short(const Call& call, const AttentionSizes& z) {
  const std::int64_t columns = call.type("attn_mask").shape[call.type("attn_mask").rank() - 1];
  if (call.version() < 24 || columns >= z.total()) return false;
  return columns != 1 || call.reads("attention.one_column", "short");
}

void check_mask(const Call& call, const AttentionSizes& z) {
  const Dims& mask = call.type("attn_mask").shape;
  require(mask.size() >= 1 && mask.size() <= 4, "attn_mask has shape {}, but must have 1 to 4 axes", mask);
  Dims to{z.batch, z.heads, z.queries, z.total()};
  if (is_short(call, z)) to[3] = mask[mask.size() - 1];
  bool fits = true;
  for (size_t k = 0; k < mask.size(); ++k) {
    const std::int64_t size = mask[mask.size() - 1 - k];
    fits &= size == 1 || size == to[3 - k];
  }
  require(fits, "attn_mask has shape {}, which does not broadcast to {}", mask, to);
}
}  // namespace
AttentionSizes attention_sizes(const Call& call) {
  const Dims &q = call.type("Q").shape, &k = call.type("K").shape, &v = call.type("V").shape;
  require(q.size() == 3 || q.size() == 4, "Q has shape {}, but must have 3 or 4 axes", q);
  require(k.size() == q.size() && v.size() == q.size(),
          "Q, K and V have shapes {}, {} and {}, but must have as many axes", q, k, v);
  AttentionSizes z{};
  z.is_flat = q.size() == 3;
  if (z.is_flat) {
    const bool has_q = call.has("q_num_heads"), has_kv = call.has("kv_num_heads");
    require(has_q || has_kv, "attributes 'q_num_heads' and 'kv_num_heads' are missing, which inputs of 3 axes need");
    require(has_q && has_kv, "attribute '{}' is missing, which inputs of 3 axes need",
            has_q ? "kv_num_heads" : "q_num_heads");
  }
  z.heads = heads_of(call, "q_num_heads", "Q", z.is_flat), z.kv_heads = heads_of(call, "kv_num_heads", "K", z.is_flat);
  require(z.kv_heads > 0 && z.heads % z.kv_heads == 0, "Q has {} heads, which is no multiple of the {} of K", z.heads,
          z.kv_heads);
  const size_t tokens = z.is_flat ? 1 : 2;
  z.batch = q[0], z.queries = q[tokens], z.keys = k[tokens];
  z.size = z.is_flat ? q[2] / z.heads : q[3];
  require(!z.is_flat || v[2] % z.kv_heads == 0, "V has shape {}, whose last axis is no multiple of kv_num_heads {}", v,
          z.kv_heads);
  z.value_size = z.is_flat ? v[2] / z.kv_heads : v[3];
  const auto kv = [&](std::int64_t size) {
    return z.is_flat ? Dims{z.batch, z.keys, z.kv_heads * size} : Dims{z.batch, z.kv_heads, z.keys, size};
  };
  require(k == kv(z.size), "K has shape {}, but must have {}", k, kv(z.size));
  require(v == kv(z.value_size), "V has shape {}, but must have {}", v, kv(z.value_size));
  require(call.has("past_key") == call.has("past_value"), "past_key and past_value are given together or not at all");
  require(call.wants("present_key") == call.wants("present_value"),
          "present_key and present_value are asked for together or not at all");
  if (!call.has("past_key")) return z;
  const Dims &past_k = call.type("past_key").shape, &past_v = call.type("past_value").shape;
  require(past_k.size() == 4, "past_key has shape {}, but must have 4 axes", past_k);
  z.past = past_k[2];
  checked_add(z.past, z.keys);  // total() fits
  require(past_k == Dims{z.batch, z.kv_heads, z.past, z.size}, "past_key has shape {}, but must have {}", past_k,
          Dims{z.batch, z.kv_heads, z.past, z.size});
  require(past_v == Dims{z.batch, z.kv_heads, z.past, z.value_size}, "past_value has shape {}, but must have {}",
          past_v, Dims{z.batch, z.kv_heads, z.past, z.value_size});
  return z;
}

std::optional<double> stated_scale(const Call& call) {
  return call.has("scale") ? std::optional(call.number("scale")) : std::nullopt;
}

Value present(const Output& out, const AttentionSizes& z, const std::vector<Presented>& parts) {
  const Dims& shape = out.type().shape;
  const std::int64_t size = shape[shape.size() - 1], tokens = shape[shape.size() - 2];
  // Of an element the part, the batch row, the head, the token, and its place in the vector.
  const auto split_up = [&](std::int64_t k) {
    const auto [row, h, token, d] = split(k, z.kv_heads, tokens, size);
    return std::array{row / z.batch, row % z.batch, h, token, d};
  };
  std::vector<Tensor> from;
  bool are_plain = true;
  for (const Presented& part : parts) {
    from.push_back(part.past ? part.past->tensor() : part.added.tensor()), from.push_back(part.added.tensor());
    are_plain &= part.added.is_plain();
  }
  const auto is_computed = [&](std::int64_t k) {
    const auto [part, b, h, token, d] = split_up(k);
    const AttentionSizes::Row row = z.row(b);
    return !parts[static_cast<size_t>(part)].added.is_plain() && token >= row.past && token < row.total;
  };
  std::optional<Tensor> computed;
  const auto source = [&](std::int64_t k) {
    const auto [part, b, h, token, d] = split_up(k);
    const AttentionSizes::Row row = z.row(b);
    const Presented& of = parts[static_cast<size_t>(part)];
    const int tensor = static_cast<int>(part) * 2;
    if (token >= row.total) return Run::fill(size - d);
    if (token < row.past) return Run{of.past->places()(b, h, token) + d, size - d, 1, tensor};
    if (computed) return Run{k, size - d, 1, static_cast<int>(from.size()) - 1};
    return Run{of.added.places()(b, h, token - row.past) + d, size - d, 1, tensor + 1};
  };
  if (are_plain || (out.only() && !is_computed(*out.only()))) return move(out, from, source);
  const auto number = [&]<class R>(std::int64_t k, const Reader<R>& x) {
    if (!is_computed(k)) return x.zero();
    const auto [part, b, h, token, d] = split_up(k);
    return parts[static_cast<size_t>(part)].added(x, b, h, token - z.row(b).past, d);
  };
  computed = real(out, number);
  if (!out.wanted() || out.only()) return *computed;
  from.push_back(*computed);
  return move(out.inner(out.type()), from, source);
}

double attention_scale_root(std::optional<double> stated, std::int64_t size, DType dtype) {
  const auto root = [&](size_t) { return sqrt(attention_scale<Interval>(stated, size)); };
  double rounded = 0;
  with_float(dtype, [&]<class T>(T) { rounded = widen(decided<T>(root, [] { return "the root of scale"; })); });
  return rounded;
}

namespace {
/// The keys or values of an input, and of the past, if it is given.
Presented presented(const Call& call, const AttentionSizes& z, std::string_view added, std::string_view past,
                    std::int64_t size) {
  std::optional<TokenVectors> old;
  if (call.has(past)) old.emplace(call.input(past), TokenVectors::by_head(z.past, z.kv_heads, size), size);
  return {std::move(old), {call.input(added), z.places(z.keys, z.kv_heads, size), size}};
}
}  // namespace
AttentionInputs::AttentionInputs(const Call& call, const AttentionSizes& z)
    : AttentionInputs(z, {call.input("Q"), z.places(z.queries, z.heads, z.size), z.size},
                      presented(call, z, "K", "past_key", z.size),
                      presented(call, z, "V", "past_value", z.value_size)) {}

Faithful AttentionInputs::product_of_scaled(const Reader<Faithful>& x, std::int64_t b, std::int64_t h, std::int64_t i,
                                            std::int64_t j, const Faithful& by) const {
  const TokenVectors& K = of(K_, b, j);
  evaluators::SumOf<Faithful> sum;
  for (std::int64_t k = 0; k < z_.size; ++k)
    sum.add(Q_(x, b, h, i, k) * by * (K(x, b, z_.kv_head(h), place(b, j), k) * by));
  return sum.total();
}

fast::Attention AttentionInputs::fast_form(const Bounded& scale, const Paired& precise_scale, double softcap) const {
  const AttentionSizes& z = z_;
  const std::int64_t shared = z.heads / z.kv_heads;
  const auto tokens = [&](const TokenVectors& of, std::int64_t n, bool is_of_queries) {
    const auto& [first, batch, head, token] = of.places();
    const Dims strides = is_of_queries ? Dims{batch, shared * head, head} : Dims{batch, head, 0};
    return fast::Attention::Tokens{of.tensor(), Strided({z.batch, z.kv_heads, shared}, strides, first), n, token};
  };
  std::vector<fast::Attention::Keys> keys;
  if (K_.past) keys.push_back({tokens(*K_.past, z.past, false), tokens(*V_.past, z.past, false)});
  keys.push_back({tokens(K_.added, z.keys, false), tokens(V_.added, z.keys, false)});
  const TokenVectors results(Q_.tensor(), z.places(z.queries, z.heads, z.value_size), z.value_size);
  const fast::Attention::Tokens y = tokens(results, z.queries, true);
  return {tokens(Q_, z.queries, true),
          std::move(keys),
          y.head,
          y.step,
          z.size,
          z.value_size,
          scale,
          precise_scale,
          softcap};
}

std::optional<AttentionGroups> groups_of(const AttentionScores<Interval>& of) {
  std::vector<std::size_t> numbers;  // the keys whose score is a number, not -Inf
  std::size_t greatest = 0;
  for (std::size_t j = 0; j < of.scores.size(); ++j) {
    const Interval& score = of.scores[j];
    if (!is_finite(score) && !(score.is_point() && score.sign() == -1)) return std::nullopt;
    if (!is_finite(score)) continue;
    if (numbers.empty() || (of.scores[greatest] < score) == Interval::Truth::yes) greatest = j;
    numbers.push_back(j);
  }
  if (numbers.empty()) return std::nullopt;
  const auto ranks = [&](const std::vector<Interval>& of_keys) {
    std::vector<Interval> chosen;
    for (const std::size_t j : numbers) chosen.push_back(of_keys[j]);
    return exact::ranks(chosen);
  };
  const bool have_arguments = !of.arguments.empty();
  const std::vector<std::size_t> arguments = ranks(have_arguments ? of.arguments : of.scores),
                                 biases = have_arguments ? ranks(of.biases) : arguments;
  AttentionGroups groups{};
  std::map<std::pair<std::size_t, std::size_t>, std::size_t> known;
  for (std::size_t j = 0, k = 0; j < of.scores.size(); ++j) {
    const bool is_number = k < numbers.size() && numbers[k] == j;
    const auto what = is_number ? std::pair(arguments[k], biases[k]) : std::pair(of.scores.size(), std::size_t{0});
    const auto [group, is_new] = known.try_emplace(what, known.size());
    if (is_new) groups.keys.push_back(0), groups.scores.push_back(of.scores[j]);
    ++groups.keys[group->second];
    groups.of_key.push_back(group->second);
    k += is_number ? 1 : 0;
  }
  groups.greatest = groups.of_key[greatest];
  return groups;
}

std::vector<Interval> powers_of(const AttentionGroups& groups) {
  std::vector<Interval> of_groups, powers;
  for (std::size_t g = 0; g < groups.scores.size(); ++g)
    of_groups.push_back(g == groups.greatest ? 1.0 : exp(groups.scores[g] - groups.scores[groups.greatest]));
  for (const std::size_t group : groups.of_key) powers.push_back(of_groups[group]);
  return powers;
}

void MeanOfGroups::add(std::int64_t key, const Interval& number) {
  const std::size_t group = weights_.groups->of_key[static_cast<std::size_t>(key)];
  are_finite_ &= is_finite(number);
  if (group < sums_.size()) {
    sums_[group] = sums_[group] + number;
    return;
  }
  sums_.resize(group, 0.0), powers_.resize(group, 0.0);  // groups of which no number takes part
  sums_.push_back(number), powers_.push_back(weights_.powers[static_cast<std::size_t>(key)]);
}

// The mean r of the greatest group's numbers, and Σ power·(sum - keys·r) over the others, divided by the sum of all.
std::optional<Interval> MeanOfGroups::result() const {
  if (!are_finite_) return std::nullopt;
  const AttentionGroups& groups = *weights_.groups;
  const std::int64_t n = groups.keys[groups.greatest];
  const auto times = [](const Interval& a, std::int64_t by) { return by == 1 ? a : a * Interval::whole(by); };
  const Interval& most = sums_[groups.greatest];
  std::vector<std::size_t> others;  // of another mean
  std::vector<Interval> apart;
  for (std::size_t g = 0; g < sums_.size(); ++g) {
    if (g == groups.greatest || powers_[g].is_zero()) continue;
    Interval difference = times(sums_[g], n) - times(most, groups.keys[g]);
    if (difference.is_zero()) continue;
    others.push_back(g), apart.push_back(std::move(difference));
  }
  const auto sum = [&](const auto& power) {
    Interval total(0.0);
    for (std::size_t k = 0; k < others.size(); ++k) total = total + power(others[k]) * apart[k];
    return total;
  };
  Interval off = sum([&](std::size_t g) { return powers_[g]; });
  if (!off.sign()) {  // powers beyond MPFR's exponents, perhaps; not so those by the greatest score of `others`
    const std::size_t first = *std::ranges::max_element(others, [&](std::size_t g, std::size_t h) {
      return (groups.scores[g] < groups.scores[h]) == Interval::Truth::yes;
    });
    off = powers_[first] * sum([&](std::size_t g) { return exp(groups.scores[g] - groups.scores[first]); });
  }
  return Interval(0.0) + (most + off / weights_.sum) / Interval::whole(n);
}

void AttentionBias::check(const Call& call, const AttentionSizes& sizes) {
  if (call.has("attn_mask")) check_mask(call, sizes);
  if (!call.has_here("nonpad_kv_seqlen")) return;
  require(!call.has("past_key"), "nonpad_kv_seqlen is given, which does not go with past_key");
  require(call.type("nonpad_kv_seqlen").shape == Dims{sizes.batch}, "nonpad_kv_seqlen has shape {}, but must have {}",
          call.type("nonpad_kv_seqlen").shape, Dims{sizes.batch});
}

AttentionBias::AttentionBias(const Call& call, const AttentionSizes& sizes)
    : sizes_(sizes),
      mask_(elements_if_given(call, "attn_mask")),
      is_causal_(call.flag("is_causal")),
      left_(window(call, "left_window_size")),
      right_(window(call, "right_window_size")) {
  const bool has_short_mask = mask_ && is_short(call, sizes);
  const Dims mask = mask_ ? call.type("attn_mask").shape : Dims{};
  if (mask_) {
    is_truth_ = mask_->dtype() == DType::boolean;
    columns_ = has_short_mask ? mask[mask.size() - 1] : sizes.total();
    mask_strides_ = broadcast_strides(mask, {sizes.batch, sizes.heads, sizes.queries, columns_});
  }
  if (!call.has_here("nonpad_kv_seqlen")) return;
  lengths_ = call.integers("nonpad_kv_seqlen");
  for (size_t b = 0; b < lengths_.size(); ++b) {
    require(lengths_[b] >= 0 && lengths_[b] <= sizes.total(), "nonpad_kv_seqlen[{}] is {}, but must be from 0 to {}", b,
            lengths_[b], sizes.total());
    require(!has_short_mask || columns_ >= lengths_[b], "attn_mask has shape {}, but nonpad_kv_seqlen[{}] is {}", mask,
            b, lengths_[b]);
  }
}

AttentionBias::AttentionBias(const AttentionSizes& sizes, const Rules& rules)
    : sizes_(sizes),
      columns_(sizes.total()),
      is_causal_(rules.is_causal),
      last_sees_all_(rules.last_sees_all),
      left_(rules.left),
      padding_(rules.padding) {
  if (!rules.mask) return;
  mask_.emplace(*rules.mask);
  is_truth_ = rules.mask->dtype() == DType::boolean;
  mask_strides_ = broadcast_strides(rules.mask->shape(), {sizes.batch, sizes.heads, sizes.queries, columns_});
}

bool AttentionBias::may_see(std::int64_t b, std::int64_t i, std::int64_t j) const {
  const AttentionSizes::Row row = sizes_.row(b);
  const std::int64_t length = lengths_.empty() ? row.total : lengths_[static_cast<size_t>(b)];
  const std::int64_t place = i + (lengths_.empty() ? row.past : length - sizes_.queries);
  const bool is_limited = is_causal_ && !(last_sees_all_ && i == sizes_.queries - 1);
  return j < length && (!is_limited || j <= place) && (left_ < 0 || place - j <= left_) &&
         (right_ < 0 || j - place <= right_);
}

bool AttentionBias::is_padding(std::int64_t b, std::int64_t i, std::int64_t j) const {
  if (!padding_) return false;
  const auto& [starts, ends, mask, fill] = *padding_;
  if (!mask) return j >= ends[static_cast<size_t>(b)] || (!starts.empty() && j < starts[static_cast<size_t>(b)]);
  const std::int64_t query = mask->shape().size() == 3 ? b * sizes_.queries + i : b;
  return mask->values<std::int32_t>()[static_cast<size_t>(query * sizes_.total() + j)] <= 0;
}

bool AttentionBias::is_masked(std::int64_t b, std::int64_t h, std::int64_t i, std::int64_t j) const {
  if (!may_see(b, i, j)) return true;
  return mask_ && (j >= columns_ || (is_truth_ && mask_->integer(mask_at(b, h, i, j)) == 0));
}

void AttentionBias::added(std::int64_t b, std::int64_t h, std::int64_t first, std::int64_t n, std::int64_t j,
                          double* to) const {
  for (std::int64_t i = 0; i < n; ++i) {
    if (is_masked(b, h, first + i, j)) {
      to[i] = -std::numeric_limits<double>::infinity();
      continue;
    }
    const bool is_numeric = mask_ && !is_truth_;
    const double number = is_numeric ? mask_->number(mask_at(b, h, first + i, j)) : 0,
                 fill = is_padding(b, first + i, j) ? padding_->fill : 0, sum = number + fill;
    const bool is_it = !is_numeric || mask_->is_floating() ? !std::isnan(number) : std::abs(number) < 0x1p53;
    const bool is_exact = number == 0 || fill == 0 || (sum - number == fill && sum - fill == number);
    to[i] = is_it && is_exact && !std::isnan(fill) ? sum : std::numeric_limits<double>::infinity();
  }
}

bool AttentionBias::hides(std::int64_t b, std::int64_t h, std::int64_t i, std::int64_t j) const {
  if (is_masked(b, h, i, j)) return true;
  const double number = mask_ && !is_truth_ ? mask_->number(mask_at(b, h, i, j)) : 0;
  return number + (is_padding(b, i, j) ? padding_->fill : 0) == -std::numeric_limits<double>::infinity();
}

bool AttentionBias::hides_all(std::int64_t b, std::int64_t h, std::int64_t i) const {
  for (std::int64_t j = 0, n = sizes_.row(b).total; j < n; ++j)
    if (!hides(b, h, i, j)) return false;
  return true;
}

namespace {
constexpr std::int64_t kToldScores = 16;

// S = scale·Q·K^T,  S' = softcap·tanh(S/softcap),  B = S' + bias,  P = softmax(B),  Y = P·V. A program is a query of a
// head, or all queries of a head.
struct Attend : AttentionNode {
  Scaled scaled = Scaled::product;
  std::int64_t queries_at_once = 1;
  std::optional<Elements> sink = std::nullopt;
  std::vector<bool> gives_nan = {};  ///< of each query of each head; empty: none does

  std::int64_t program_of(size_t output, std::int64_t at) const {
    if (output == 1) return at / z.total() / queries_at_once;
    const std::int64_t row = at / z.value_size;
    if (!z.is_flat) return row / queries_at_once;
    const auto [b, i, h] = split(row, z.queries, z.heads);
    return ((b * z.heads + h) * z.queries + i) / queries_at_once;
  }

  template <class R>
  void operator()(std::int64_t program, const Reader<R>& x, Writer<R>& y) const {
    const auto [b, h, first] = split(program * queries_at_once, z.heads, z.queries);
    AttentionHead<R> head(inputs, x, b, h);
    for (std::int64_t i = first, end = std::min(first + queries_at_once, z.row(b).queries); i < end; ++i)
      if (queries_at_once == 1 || is_asked(b, h, i, y)) attend(b, h, i, head, x, y);
  }
  template <class R>
  R factor() const {
    return root ? R(*root) * R(*root) : attention_scale<R>(scale, z.size);
  }
  fast::Attention fast_form() const {
    fast::Attention form = inputs.fast_form(factor<Bounded>(), factor<Paired>(), softcap);
    if (!bias.is_nothing())
      form.added = [this](std::int64_t head, std::int64_t first, std::int64_t n, std::int64_t j, double* to) {
        bias.added(head / z.heads, head % z.heads, first, n, j, to);
        for (std::int64_t i = 0; !gives_nan.empty() && i < n; ++i)
          if (gives_nan[static_cast<size_t>(head * z.queries + first + i)]) to[i] = HUGE_VAL;
      };
    return form;
  }

 private:
  /// Where a query's scores begin.
  std::int64_t row(std::int64_t b, std::int64_t h, std::int64_t i) const {
    return ((b * z.heads + h) * z.queries + i) * z.total();
  }
  template <class R>
  bool is_asked(std::int64_t b, std::int64_t h, std::int64_t i, const Writer<R>& y) const {
    for (std::int64_t d = 0; d < z.value_size; ++d)
      if (y.wants(0, z.result(b, h, i) + d)) return true;
    for (std::int64_t j = 0; j < z.total(); ++j)
      if (y.wants(1, row(b, h, i) + j)) return true;
    return false;
  }
  template <class R>
  void attend(std::int64_t b, std::int64_t h, std::int64_t i, AttentionHead<R>& head, const Reader<R>& x,
              Writer<R>& y) const {
    const AttentionWeights<R> P = weights(b, h, i, head, x, y);
    const std::int64_t keys = z.row(b).total;
    for (std::int64_t d = 0; d < z.value_size; ++d)
      y.put(0, z.result(b, h, i) + d, [&] {
        return attention_mean(
            x, P, [&](std::int64_t j) { return j == keys ? x.zero() : head.value(j, d); },
            [&](std::int64_t j) { return !counted && j < keys && bias.is_masked(b, h, i, j); });
      });
  }
  template <class R>
  AttentionWeights<R> weights(std::int64_t b, std::int64_t h, std::int64_t i, AttentionHead<R>& head,
                              const Reader<R>& x, Writer<R>& y) const {
    const std::int64_t scores = row(b, h, i), keys = z.row(b).total;
    std::vector<R> S;
    for (std::int64_t j = 0; j < keys; ++j) S.push_back(head.product(i, j));
    S = each(S, [scale = factor<R>()](const R& p) { return scale * p; });
    if constexpr (std::is_same_v<R, Faithful>)
      for (std::int64_t j = 0; scaled == Scaled::factors && j < keys; ++j)
        S[static_cast<size_t>(j)] = inputs.product_of_scaled(x, b, h, i, j, sqrt(factor<R>()));
    const auto cap = [cap = R(softcap)](const R& s) { return cap * tanh(s / cap); };
    const std::vector<R> capped = softcap == 0 ? S : each(S, cap);
    AttentionScores<R> B;
    for (std::int64_t j = 0; j < keys; ++j) {
      const auto k = static_cast<size_t>(j);
      const std::optional<R> added = bias.number(x, b, h, i, j);
      B.scores.push_back(added ? capped[k] + *added : capped[k]);
      if constexpr (std::is_same_v<R, Interval>) {
        if (softcap != 0) B.arguments.push_back(S[k]), B.biases.push_back(added.value_or(R(0.0)));
        if (z.total() <= kToldScores) x.named(format("the score of key {}", j), B.scores.back());
      }
      if (mode < 3)
        y.put(1, scores + j, [&] {
          if (masked_score && bias.is_masked(b, h, i, j)) return R(*masked_score);
          return mode == 2 ? B.scores.back() : mode == 0 && raw ? S[k] : capped[k];
        });
    }
    for (std::int64_t j = keys; mode == 2 && j < z.total(); ++j)
      y.put(1, scores + j, R(masked_score.value_or(-std::numeric_limits<double>::infinity())));
    // "A row whose bias is all -Inf": nothing is attended to.
    const bool is_empty = bias.hides_all(b, h, i);
    if (is_empty && empty_is_nan) return {std::vector<R>(B.scores.size(), R(NAN)), R(1.0)};
    if (sink) add_sink(x.named("the score of the sink", x(*sink, h)), B);
    AttentionWeights<R> P = attention_weights(x, is_empty ? AttentionScores<R>{} : std::move(B));
    for (std::int64_t j = 0; mode == 3 && j < keys; ++j)
      y.put(1, scores + j, [&] { return is_empty ? R(0.0) : P.powers[static_cast<size_t>(j)] / P.sum; });
    return P;
  }
  template <class R>
  void add_sink(const R& score, AttentionScores<R>& B) const {
    B.scores.push_back(score);
    if constexpr (std::is_same_v<R, Interval>)
      if (softcap != 0) B.arguments.push_back(R(0.0)), B.biases.push_back(score);
  }
};
}  // namespace
std::vector<Value> attention_by(std::span<const Output> outs, const AttentionNode& node, Scaled scaled) {
  Attend attend{node, scaled};
  const AttentionSizes& z = node.z;
  if (node.inputs.is_projected()) attend.queries_at_once = std::max(z.queries, std::int64_t{1});
  if (node.sinks) attend.sink.emplace(*node.sinks);
  const std::int64_t count = element_count({z.batch, z.heads, z.queries});
  for (std::int64_t row = 0; node.empty_is_nan && !node.bias.is_nothing() && row < count; ++row) {
    const auto [b, h, i] = split(row, z.heads, z.queries);
    attend.gives_nan.push_back(node.bias.hides_all(b, h, i));
  }
  const bool has_rows = node.inputs.is_plain() && z.rows.empty() && !node.sinks;
  const auto certified = [&](const RowTarget& y) { return fast::attention(y, attend.fast_form()); };
  return programs(outs, count / attend.queries_at_once, attend, {}, has_rows ? Rows(certified) : Rows());
}

Reading masked_row_reading(std::int64_t since, bool (*may_change_values)(const Call&)) {
  return {.name = "attention.masked_row",
          .alternatives = {"nan: a query that sees no key has 0/0, as the formula has it", "zero: it has 0"},
          .defaults = {{since, "nan"}},
          .reason = "the formula and the CPU plugin; ai.onnx's Attention gives 0",
          .may_change_values = may_change_values};
}
}  // namespace opref::ops
