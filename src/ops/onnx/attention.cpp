// SPDX-License-Identifier: Apache-2.0
// ai.onnx Attention, versions 23, 24, 25
// https://onnx.ai/onnx/operators/onnx__Attention.html
#include <limits>

#include "core/error.h"
#include "families/move.h"
#include "families/programs.h"
#include "families/row.h"
#include "ops/common/mistakes.h"
#include "schema/operator.h"

namespace opref::ops::onnx {
namespace {

// Heads: Q has `heads`, K and V have `kv_heads`, each of which serves heads/kv_heads of Q. Inputs of 3 axes have the
// heads of a token side by side.
struct Sizes {
  std::int64_t batch, heads, kv_heads, queries, keys, past, size, value_size;
  bool is_flat;  // 3 axes

  std::int64_t total() const { return past + keys; }
  std::int64_t kv_head(std::int64_t h) const { return h / (heads / kv_heads); }
  /// Where a token's head begins in an input of `n` tokens and `of` heads of this size.
  std::int64_t at(std::int64_t b, std::int64_t h, std::int64_t token, std::int64_t of, std::int64_t n,
                  std::int64_t head_size) const {
    return (is_flat ? (b * n + token) * of + h : (b * of + h) * n + token) * head_size;
  }
};

std::int64_t heads_of(const Call& call, std::string_view attribute, std::string_view input, bool is_flat) {
  const Dims& x = call.type(input).shape;
  if (is_flat) {
    require(call.has(attribute), "attribute '{}' is missing, which inputs of 3 axes need", attribute);
    const std::int64_t heads = call.integer(attribute);
    require(x[2] % heads == 0, "{} has shape {}, whose last axis is no multiple of {} {}", input, x, attribute, heads);
    return heads;
  }
  require(call.version() < 25 || !call.has(attribute), "attribute '{}' is {}, but {} of 4 axes says its heads itself",
          attribute, call.has(attribute) ? call.integer(attribute) : 0, input);
  return x[1];
}

Sizes sizes(const Call& call) {
  const Dims &q = call.type("Q").shape, &k = call.type("K").shape, &v = call.type("V").shape;
  require(q.size() == 3 || q.size() == 4, "Q has shape {}, but must have 3 or 4 axes", q);
  require(k.size() == q.size() && v.size() == q.size(),
          "Q, K and V have shapes {}, {} and {}, but must have as many axes", q, k, v);
  Sizes z{};
  z.is_flat = q.size() == 3;
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
  require(past_k == Dims{z.batch, z.kv_heads, z.past, z.size}, "past_key has shape {}, but must have {}", past_k,
          Dims{z.batch, z.kv_heads, z.past, z.size});
  require(past_v == Dims{z.batch, z.kv_heads, z.past, z.value_size}, "past_value has shape {}, but must have {}",
          past_v, Dims{z.batch, z.kv_heads, z.past, z.value_size});
  return z;
}

/// From 24 on a mask of fewer keys goes on with -Inf; one of a single key is such a mask, or is broadcast.
bool is_short(const Call& call, const Sizes& z) {
  const std::int64_t columns = call.type("attn_mask").shape[call.type("attn_mask").rank() - 1];
  if (call.version() < 24 || columns >= z.total()) return false;
  return columns != 1 || call.reads("attention.one_column", "short");
}

void check_mask(const Call& call, const Sizes& z) {
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

/// FLOAT, FLOAT16, DOUBLE or BFLOAT16, of which none changes an exact value.
void check_precision(const Call& call) {
  const std::int64_t number = call.has("softmax_precision") ? call.integer("softmax_precision") : 1;
  require(number == 1 || number == 10 || number == 11 || number == 16,
          "attribute 'softmax_precision' is {}, but must be 1, 10, 11 or 16: a floating type", number);
}

std::vector<ValueType> output_types(const Call& call) {
  const Sizes z = sizes(call);
  check_precision(call);
  if (call.has("attn_mask")) check_mask(call, z);
  if (call.has("nonpad_kv_seqlen")) {
    require(!call.has("past_key"), "nonpad_kv_seqlen is given, which does not go with past_key");
    require(call.type("nonpad_kv_seqlen").shape == Dims{z.batch}, "nonpad_kv_seqlen has shape {}, but must have {}",
            call.type("nonpad_kv_seqlen").shape, Dims{z.batch});
  }
  const DType t1 = call.type("Q").dtype, t2 = call.type("V").dtype;
  return {TensorType{t1, z.is_flat ? Dims{z.batch, z.queries, z.heads * z.value_size}
                                   : Dims{z.batch, z.heads, z.queries, z.value_size}},
          TensorType{t1, {z.batch, z.kv_heads, z.total(), z.size}},
          TensorType{t2, {z.batch, z.kv_heads, z.total(), z.value_size}},
          TensorType{t1, {z.batch, z.heads, z.queries, z.total()}}};
}

/// Which keys a query may see, beside attn_mask: causal, within the windows, before the padding.
class Visible {
 public:
  Visible(const Call& call, const Sizes& z) : z_(z), is_causal_(call.integer("is_causal") != 0) {
    left_ = call.has("left_window_size") ? call.integer("left_window_size") : -1;
    right_ = call.has("right_window_size") ? call.integer("right_window_size") : -1;
    if (!call.has("nonpad_kv_seqlen")) return;
    lengths_ = call.integers("nonpad_kv_seqlen");
    for (size_t b = 0; b < lengths_.size(); ++b) {
      require(lengths_[b] >= 0 && lengths_[b] <= z.total(), "nonpad_kv_seqlen[{}] is {}, but must be from 0 to {}", b,
              lengths_[b], z.total());
      if (call.has("attn_mask") && is_short(call, z))
        require(call.type("attn_mask").shape[call.type("attn_mask").rank() - 1] >= lengths_[b],
                "attn_mask has shape {}, but nonpad_kv_seqlen[{}] is {}", call.type("attn_mask").shape, b, lengths_[b]);
    }
  }
  bool operator()(std::int64_t b, std::int64_t i, std::int64_t j) const {
    const std::int64_t length = lengths_.empty() ? z_.total() : lengths_[static_cast<size_t>(b)];
    const std::int64_t place = i + (lengths_.empty() ? z_.past : length - z_.queries);
    return j < length && (!is_causal_ || j <= place) && (left_ < 0 || j >= place - left_) &&
           (right_ < 0 || j <= place + right_);
  }

 private:
  const Sizes& z_;
  bool is_causal_;
  std::int64_t left_, right_;
  std::vector<std::int64_t> lengths_;
};

std::optional<Elements> elements_of(const Call& call, std::string_view input) {
  return call.has(input) ? std::optional<Elements>(call.input(input)) : std::nullopt;
}

// S = scale·Q·K^T,  S' = softcap·tanh(S/softcap),  B = S' + bias,  P = softmax(B),  Y = P·V, a query's row at a time.
// bias is attn_mask, -Inf where it is False, and -Inf for keys that the query may not see.
class Attend {
 public:
  explicit Attend(const Call& call)
      : z(sizes(call)),
        visible_(call, z),
        Q(call.input("Q")),
        K(call.input("K")),
        V(call.input("V")),
        past_K(elements_of(call, "past_key")),
        past_V(elements_of(call, "past_value")),
        mask_(elements_of(call, "attn_mask")),
        softcap_(call.number("softcap")),
        mode_(call.integer("qk_matmul_output_mode")),
        raw_(call.reads("attention.qk_mode0", "raw")),
        masked_count_(call.reads("attention.masked_value", "counted")) {
    if (call.has("scale")) scale_ = call.number("scale");
    if (!mask_) return;
    const Dims& mask = call.type("attn_mask").shape;
    is_truth_ = call.type("attn_mask").dtype == DType::boolean;
    columns_ = is_short(call, z) ? mask[mask.size() - 1] : z.total();
    mask_strides_ = broadcast_strides(mask, {z.batch, z.heads, z.queries, columns_});
  }
  Attend(const Attend&) = delete;
  Attend& operator=(const Attend&) = delete;
  ~Attend() = default;

  std::int64_t rows() const { return z.batch * z.heads * z.queries; }
  std::int64_t program_of(size_t output, std::int64_t at) const {
    if (output == 1) return at / z.total();
    if (!z.is_flat) return at / z.value_size;
    const auto [b, i, h, d] = split(at, z.queries, z.heads, z.value_size);
    return (b * z.heads + h) * z.queries + i;
  }

  template <class R>
  void operator()(std::int64_t row, const Reader<R>& x, Writer<R>& y) const {
    const auto [b, h, i] = split(row, z.heads, z.queries);
    const R scale = scale_ ? R(*scale_) : R(1.0) / sqrt(R(static_cast<double>(z.size)));
    std::vector<R> B, p;
    std::int64_t attended = 0, only = 0;
    for (std::int64_t j = 0; j < z.total(); ++j) {
      const R s = scale * (j < z.past ? x.dot(Q, query(b, h, i), *past_K, past(b, h, j, z.size), z.size)
                                      : x.dot(Q, query(b, h, i), K, key(b, h, j, z.size), z.size));
      const R capped = softcap_ == 0 ? s : R(softcap_) * tanh(s / R(softcap_));
      const bool is_masked = !visible_(b, i, j) || is_false(b, h, i, j);
      const bool is_added = mask_ && !is_truth_ && !is_masked;
      const double bias = is_added ? mask_->number(mask_at(b, h, i, j)) : is_masked ? -kInfinity : 0;
      if (bias != -kInfinity) ++attended, only = j;
      B.push_back(is_added ? capped + x(*mask_, mask_at(b, h, i, j)) : is_masked ? capped + R(-kInfinity) : capped);
      if constexpr (std::is_same_v<R, Interval>)
        if (z.total() <= kToldScores) x.named(format("the score of key {}", j), B.back());
      const std::int64_t at = row * z.total() + j;
      if (mode_ == 0) y.put(1, at, raw_ ? s : capped);
      if (mode_ == 1) y.put(1, at, capped);
      if (mode_ == 2) y.put(1, at, B.back());
    }
    if (attended == 0) return put_zeros(row, y);
    R most = B[static_cast<size_t>(only)];  // of one alone e^0 is exactly 1
    for (size_t j = 0; attended > 1 && j < B.size(); ++j) most = max(most, B[j]);
    x.named("the greatest score", most);
    R sum = x.zero();
    for (std::int64_t j = 0; j < z.total(); ++j) {
      const R& score = B[static_cast<size_t>(j)];
      const bool is_one = attended == 1 && j == only && is_finite(most);
      p.push_back(is_one ? R(1.0) : exp(is_finite(most) ? score - most : score));
      sum = sum + p.back();
    }
    x.named("the sum of e^(score - greatest)", sum);
    for (std::int64_t j = 0; mode_ == 3 && j < z.total(); ++j)
      y.put(1, row * z.total() + j, [&] { return p[static_cast<size_t>(j)] / sum; });
    for (std::int64_t d = 0; d < z.value_size; ++d)
      y.put(0, output(b, h, i) + d, [&] {
        R total = x.zero();
        for (std::int64_t j = 0; j < z.total(); ++j) {
          if (!masked_count_ && (!visible_(b, i, j) || is_false(b, h, i, j))) continue;
          total = total + p[static_cast<size_t>(j)] * (j < z.past ? x(*past_V, past(b, h, j, z.value_size) + d)
                                                                  : x(V, key(b, h, j, z.value_size) + d));
        }
        return total / sum;
      });
  }

  Sizes z;

 private:
  static constexpr std::int64_t kToldScores = 16;
  static constexpr double kInfinity = std::numeric_limits<double>::infinity();

  /// "A row whose bias is all -Inf": nothing is attended to.
  template <class R>
  void put_zeros(std::int64_t row, Writer<R>& y) const {
    const auto [b, h, i] = split(row, z.heads, z.queries);
    for (std::int64_t d = 0; d < z.value_size; ++d) y.put(0, output(b, h, i) + d, R(0.0));
    for (std::int64_t j = 0; mode_ == 3 && j < z.total(); ++j) y.put(1, row * z.total() + j, R(0.0));
  }
  std::int64_t query(std::int64_t b, std::int64_t h, std::int64_t i) const {
    return z.at(b, h, i, z.heads, z.queries, z.size);
  }
  std::int64_t output(std::int64_t b, std::int64_t h, std::int64_t i) const {
    return z.at(b, h, i, z.heads, z.queries, z.value_size);
  }
  std::int64_t key(std::int64_t b, std::int64_t h, std::int64_t j, std::int64_t size) const {
    return z.at(b, z.kv_head(h), j - z.past, z.kv_heads, z.keys, size);
  }
  std::int64_t past(std::int64_t b, std::int64_t h, std::int64_t j, std::int64_t size) const {
    return ((b * z.kv_heads + z.kv_head(h)) * z.past + j) * size;
  }
  std::int64_t mask_at(std::int64_t b, std::int64_t h, std::int64_t i, std::int64_t j) const {
    return b * mask_strides_[0] + h * mask_strides_[1] + i * mask_strides_[2] + j * mask_strides_[3];
  }
  bool is_false(std::int64_t b, std::int64_t h, std::int64_t i, std::int64_t j) const {
    return mask_ && (j >= columns_ || (is_truth_ && mask_->integer(mask_at(b, h, i, j)) == 0));
  }

  Visible visible_;
  Elements Q, K, V;
  std::optional<Elements> past_K, past_V, mask_;
  std::optional<double> scale_;
  double softcap_;
  std::int64_t mode_, columns_ = 0;
  bool raw_, masked_count_, is_truth_ = false;
  Dims mask_strides_;
};

/// The keys or values of the past, then the new ones: always of 4 axes.
Value present(const Call& call, const Output& out, const Sizes& z, std::string_view past, std::string_view added) {
  std::vector<Tensor> from{call.input(added)};
  if (call.has(past)) from.push_back(call.input(past));
  const std::int64_t size = out.type().shape[3];
  return move(out, from, [z, size](std::int64_t k) {
    const auto [b, h, token, d] = split(k, z.kv_heads, z.total(), size);
    if (token < z.past) return Run{((b * z.kv_heads + h) * z.past + token) * size + d, size - d, 1, 1};
    return Run{z.at(b, h, token - z.past, z.kv_heads, z.keys, size) + d, size - d};
  });
}

std::vector<Value> kernel(const Call& call, std::span<const Output> outs) {
  const Attend attend(call);
  std::vector<Value> y = programs(std::array{outs[0], outs[3]}, attend.rows(), attend);
  return {std::move(y[0]), present(call, outs[1], attend.z, "past_key", "K"),
          present(call, outs[2], attend.z, "past_value", "V"), std::move(y[1])};
}

void version_23(OpSchema& s) {
  s.input("Q", "T1").input("K", "T1").input("V", "T2").input("attn_mask", "U", Arity::optional);
  s.input("past_key", "T1", Arity::optional).input("past_value", "T2", Arity::optional);
  s.output("Y", "T1")
      .output("present_key", "T1", Arity::optional)
      .output("present_value", "T2", Arity::optional)
      .output("qk_matmul_output", "T1", Arity::optional);
  s.types("T1", types::floats | DType::bfloat16)
      .types("T2", types::floats | DType::bfloat16)
      .types("U", types::numbers | Types{DType::bfloat16, DType::boolean});
  s.attribute(with_default("is_causal", 0, flag()))
      .attribute(optional(INT, "kv_num_heads", at_least(1)))
      .attribute(optional(INT, "q_num_heads", at_least(1)))
      .attribute(with_default("qk_matmul_output_mode", 0, between(0, 3)))
      .attribute(optional(FLOAT, "scale"))
      .attribute(with_default("softcap", 0.0F))
      .attribute(optional(INT, "softmax_precision"));
}

void version_25(OpSchema& s) {
  s.attribute(with_default("left_window_size", -1, at_least(-1)))
      .attribute(with_default("right_window_size", -1, at_least(-1)));
}

/// "nonpad_kv_seqlen should not be used together with past_key … inputs or present_key … outputs": the latter are K and
/// V.
std::vector<Note> notes(const Call& call) {
  if (!call.has("nonpad_kv_seqlen") || !call.wants("present_key")) return {};
  return {remark("present_key", "is K: nonpad_kv_seqlen should not be used together with it")};
}

bool has_mask(const Call& call) { return call.has("attn_mask"); }
bool may_mask(const Call& call) { return has_mask(call) || call.integer("is_causal") != 0; }
bool has_raw_scores(const Call& call) {
  return call.wants("qk_matmul_output") && call.integer("qk_matmul_output_mode") == 0 && call.number("softcap") != 0;
}

std::optional<Call> not_scaled(const Call& call) { return call.with_attribute("scale", AttributeValue::of(1.0F)); }
/// Query head h with key head h mod the number of these, not one key head for several neighbours.
std::optional<Call> heads_in_turn(const Call& call) {
  const Dims &q = call.type("Q").shape, &k = call.type("K").shape;
  if (q.size() != 4 || k[1] == q[1] || k[1] == 0) return std::nullopt;
  Call changed = call;
  for (const std::string_view name : {"K", "V"}) {
    TensorType type = call.type(name);
    type.shape[1] = q[1];
    changed = changed.with_input(name, read_as(type, call.input(name), [&](Dims at) {
                                   at[1] %= k[1];
                                   return at;
                                 }));
  }
  return changed;
}
/// Query i sees key j <= i + (keys - queries).
std::optional<Call> causal_from_the_end(const Call& call) {
  const Dims &q = call.type("Q").shape, &k = call.type("K").shape;
  if (call.integer("is_causal") == 0 || call.has("attn_mask") || q.size() != 4 || call.has("past_key"))
    return std::nullopt;
  const std::int64_t ahead = k[2] - q[2];
  const Tensor mask = tensor_of_bits({DType::boolean, Dims{q[2], k[2]}}, [&](std::int64_t at) {
    return static_cast<std::uint64_t>(at % k[2] <= at / k[2] + ahead);
  });
  return call.with_attribute("is_causal", AttributeValue::of(std::int64_t{0})).with_input("attn_mask", mask);
}
std::optional<Call> mask_inverted(const Call& call) {
  if (!call.has("attn_mask") || call.type("attn_mask").dtype != DType::boolean) return std::nullopt;
  return with_numbers(call, "attn_mask", [](double x) { return 1 - x; });
}

}  // namespace

Operator attention() {
  return Operator("ai.onnx", "Attention")
      .summary("values weighted by how well their keys match each query, per head")
      .version(23, version_23)
      .version(24, [](OpSchema& s) { s.input("nonpad_kv_seqlen", "int64", Arity::optional); })
      .version(25, version_25)
      .reading({.name = "attention.one_column",
                .alternatives = {"short: the other keys are masked", "broadcast: the column is that of every key"},
                .defaults = {{24, "short"}},
                .reason = "a mask may be shorter than the keys, and broadcasts: both sentences apply to one column",
                .may_change_values = has_mask})
      .reading({.name = "attention.qk_mode0",
                .alternatives = {"raw: mode 0 gives the scores before softcap", "capped: it gives them after softcap"},
                .defaults = {{23, "raw"}},
                .reason = "the text, onnxruntime; the reference gives the scores after softcap",
                .may_change_values = has_raw_scores})
      .reading({.name = "attention.masked_value",
                .alternatives = {"counted: a masked key's value takes part, times 0",
                                 "skipped: it does not, whatever it is"},
                .defaults = {{23, "counted"}},
                .reason = "0·Inf is NaN, as the formula has it",
                .may_change_values = may_mask})
      .output_types(output_types)
      .notes(notes)
      .kernel(kernel)
      .mistake("not scaled", not_scaled)
      .mistake("a key head for each query head in turn", heads_in_turn)
      .mistake("the causal mask aligned at the last key", causal_from_the_end)
      .mistake("the mask inverted", mask_inverted);
}

}  // namespace opref::ops::onnx
