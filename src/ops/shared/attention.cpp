// SPDX-License-Identifier: Apache-2.0
#include "ops/shared/attention.h"
#include <algorithm>
#include <map>

#include "core/error.h"
#include "evaluators/move.h"
#include "exact/real/equal_numbers.h"
#include "exact/row_sums.h"
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

Value present(const Call& call, const Output& out, const AttentionSizes& z, std::string_view past,
              std::string_view added) {
  std::vector<Tensor> from{call.input(added)};
  if (call.has(past)) from.push_back(call.input(past));
  const std::int64_t size = out.type().shape[3];
  return move(out, from, [z, size](std::int64_t k) {
    const auto [b, h, token, d] = split(k, z.kv_heads, z.total(), size);
    if (token < z.past) return Run{((b * z.kv_heads + h) * z.past + token) * size + d, size - d, 1, 1};
    return Run{z.at(b, h, token - z.past, z.kv_heads, z.keys, size) + d, size - d};
  });
}

double attention_scale_root(std::optional<double> stated, std::int64_t size, DType dtype) {
  const auto root = [&](size_t) { return sqrt(attention_scale<Interval>(stated, size)); };
  double rounded = 0;
  with_float(dtype, [&]<class T>(T) { rounded = widen(decided<T>(root, [] { return "the root of scale"; })); });
  return rounded;
}

AttentionInputs::AttentionInputs(const AttentionSizes& sizes, const Tensor& Q, const Tensor& K, const Tensor& V)
    : z_(sizes), tensors_{Q, K, V}, Q_(Q), K_(K), V_(V) {}

AttentionInputs::AttentionInputs(const Call& call, const AttentionSizes& sizes)
    : AttentionInputs(sizes, call.input("Q"), call.input("K"), call.input("V")) {
  if (!call.has("past_key")) return;
  tensors_.push_back(call.input("past_key")), tensors_.push_back(call.input("past_value"));
  past_K_.emplace(tensors_[3]), past_V_.emplace(tensors_[4]);
}

Bounded estimated_dot(const Elements& a, std::int64_t i, const Elements& b, std::int64_t j, std::int64_t n) {
  constexpr std::int64_t kPart = 256;
  double x[kPart], y[kPart];
  exact::BoundedSum sum(static_cast<std::size_t>(n));
  for (std::int64_t k = 0, m; k < n; k += m) {
    m = std::min(kPart, n - k);
    a.numbers({i + k, m, 1}, x);
    b.numbers({j + k, m, 1}, y);
    for (std::int64_t at = 0; at < m; ++at) x[at] = x[at] * y[at];  // exact
    sum.add(x, nullptr, static_cast<std::size_t>(m));
  }
  const Bounded total = sum.total();
  return total.e < bounded::kInfinity ? total : Reader<Bounded>().dot(a, i, b, j, n);
}

Faithful AttentionInputs::product_of_scaled(const Reader<Faithful>& x, std::int64_t b, std::int64_t h, std::int64_t i,
                                            std::int64_t j, const Faithful& by) const {
  const Elements& K = j < z_.past ? *past_K_ : K_;
  const std::int64_t query = z_.query(b, h, i, z_.size),
                     key = j < z_.past ? z_.past_key(b, h, j, z_.size) : z_.key(b, h, j, z_.size);
  evaluators::SumOf<Faithful> sum;
  for (std::int64_t k = 0; k < z_.size; ++k) sum.add(x(Q_, query + k) * by * (x(K, key + k) * by));
  return sum.total();
}

fast::Attention AttentionInputs::fast_form(const Bounded& scale, const Paired& precise_scale, double softcap) const {
  const AttentionSizes& z = z_;
  const Dims heads{z.batch, z.kv_heads, z.heads / z.kv_heads};
  /// Of an input that has `of` heads, of which `shared` heads of Q have the same.
  const auto head = [&](std::int64_t of, std::int64_t shared, std::int64_t tokens, std::int64_t size, bool is_flat) {
    const std::int64_t each = is_flat ? size : tokens * size;
    return Strided(heads, {of * tokens * size, of == z.heads ? shared * each : each, of == z.heads ? each : 0});
  };
  const auto tokens = [&](size_t input, std::int64_t of, std::int64_t n, std::int64_t size, bool is_flat) {
    return fast::Attention::Tokens{tensors_[input], head(of, z.heads / z.kv_heads, n, size, is_flat), n,
                                   is_flat ? of * size : size};
  };
  std::vector<fast::Attention::Keys> keys;
  if (past_K_)
    keys.push_back({tokens(3, z.kv_heads, z.past, z.size, false), tokens(4, z.kv_heads, z.past, z.value_size, false)});
  keys.push_back(
      {tokens(1, z.kv_heads, z.keys, z.size, z.is_flat), tokens(2, z.kv_heads, z.keys, z.value_size, z.is_flat)});
  const fast::Attention::Tokens y = tokens(0, z.heads, z.queries, z.value_size, z.is_flat);
  return {tokens(0, z.heads, z.queries, z.size, z.is_flat),
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

AttentionBias::AttentionBias(const AttentionSizes& sizes, const std::optional<Tensor>& mask, bool is_causal)
    : sizes_(sizes), columns_(sizes.total()), is_causal_(is_causal), left_(-1), right_(-1) {
  if (!mask) return;
  mask_.emplace(*mask);
  is_truth_ = mask->dtype() == DType::boolean;
  mask_strides_ = broadcast_strides(mask->shape(), {sizes.batch, sizes.heads, sizes.queries, columns_});
}

bool AttentionBias::may_see(std::int64_t b, std::int64_t i, std::int64_t j) const {
  const std::int64_t length = lengths_.empty() ? sizes_.total() : lengths_[static_cast<size_t>(b)];
  const std::int64_t place = i + (lengths_.empty() ? sizes_.past : length - sizes_.queries);
  return j < length && (!is_causal_ || j <= place) && (left_ < 0 || place - j <= left_) &&
         (right_ < 0 || j - place <= right_);
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
    } else if (mask_ && !is_truth_) {
      const double number = mask_->number(mask_at(b, h, first + i, j));
      const bool is_it = mask_->is_floating() ? !std::isnan(number) : std::abs(number) < 0x1p53;
      to[i] = is_it ? number : std::numeric_limits<double>::infinity();
    } else {
      to[i] = 0;
    }
  }
}

bool AttentionBias::hides_all(std::int64_t b, std::int64_t h, std::int64_t i) const {
  for (std::int64_t j = 0; j < sizes_.total(); ++j) {
    const bool is_added = mask_ && !is_truth_ && !is_masked(b, h, i, j);
    const bool is_hidden = is_added ? mask_->number(mask_at(b, h, i, j)) == -std::numeric_limits<double>::infinity()
                                    : is_masked(b, h, i, j);
    if (!is_hidden) return false;
  }
  return true;
}

Reading masked_row_reading(std::int64_t since, bool (*may_change_values)(const Call&)) {
  return {.name = "attention.masked_row",
          .alternatives = {"nan: a query that sees no key has 0/0, as the formula has it", "zero: it has 0"},
          .defaults = {{since, "nan"}},
          .reason = "the formula and the CPU plugin; ai.onnx's Attention gives 0",
          .may_change_values = may_change_values};
}
}  // namespace opref::ops
