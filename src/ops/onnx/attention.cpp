// SPDX-License-Identifier: Apache-2.0
// ai.onnx Attention, versions 23, 24, 25
// https://onnx.ai/onnx/operators/onnx__Attention.html
#include "ops/common/attention.h"
#include "core/error.h"
#include "families/move.h"
#include "schema/operator.h"

namespace opref::ops::onnx {
namespace {

/// FLOAT, FLOAT16, DOUBLE or BFLOAT16, of which none changes an exact value.
void check_precision(const Call& call) {
  const std::int64_t number = call.has("softmax_precision") ? call.integer("softmax_precision") : 1;
  require(number == 1 || number == 10 || number == 11 || number == 16,
          "attribute 'softmax_precision' is {}, but must be 1, 10, 11 or 16: a floating type", number);
}

std::vector<ValueType> output_types(const Call& call) {
  const AttentionSizes z = attention_sizes(call);
  check_precision(call);
  AttentionBias::check(call, z);
  const DType t1 = call.type("Q").dtype, t2 = call.type("V").dtype;
  return {TensorType{t1, z.is_flat ? Dims{z.batch, z.queries, z.heads * z.value_size}
                                   : Dims{z.batch, z.heads, z.queries, z.value_size}},
          TensorType{t1, {z.batch, z.kv_heads, z.total(), z.size}},
          TensorType{t2, {z.batch, z.kv_heads, z.total(), z.value_size}},
          TensorType{t1, {z.batch, z.heads, z.queries, z.total()}}};
}

constexpr std::int64_t kToldScores = 16;

// S = scale·Q·K^T,  S' = softcap·tanh(S/softcap),  B = S' + bias,  P = softmax(B),  Y = P·V, a query's row at a time.
struct Attend {
  const Call& call;
  AttentionSizes z = attention_sizes(call);
  AttentionBias bias{call, z};
  Elements Q{call.input("Q")}, K{call.input("K")}, V{call.input("V")};
  std::optional<Elements> past_K = elements_of(call, "past_key"), past_V = elements_of(call, "past_value");
  std::optional<double> scale = call.has("scale") ? std::optional(call.number("scale")) : std::nullopt;
  double softcap = call.number("softcap");
  std::int64_t mode = call.integer("qk_matmul_output_mode");
  bool raw = call.reads("attention.qk_mode0", "raw");
  bool masked_count = call.reads("attention.masked_value", "counted");

  std::int64_t program_of(size_t output, std::int64_t at) const {
    if (output == 1) return at / z.total();
    if (!z.is_flat) return at / z.value_size;
    const auto [b, i, h, d] = split(at, z.queries, z.heads, z.value_size);
    return (b * z.heads + h) * z.queries + i;
  }

  template <class R>
  void operator()(std::int64_t row, const Reader<R>& x, Writer<R>& y) const {
    const auto [b, h, i] = split(row, z.heads, z.queries);
    const std::int64_t scores = row * z.total(), output = z.query(b, h, i, z.value_size);
    const R factor = attention_scale<R>(scale, z.size);
    std::vector<R> B;
    for (std::int64_t j = 0; j < z.total(); ++j) {
      const std::int64_t query = z.query(b, h, i, z.size);
      const R S = factor * (j < z.past ? x.dot(Q, query, *past_K, z.past_key(b, h, j, z.size), z.size)
                                       : x.dot(Q, query, K, z.key(b, h, j, z.size), z.size));
      const R capped = softcap == 0 ? S : R(softcap) * tanh(S / R(softcap));
      B.push_back(bias.added(x, capped, b, h, i, j));
      if constexpr (std::is_same_v<R, Interval>)
        if (z.total() <= kToldScores) x.named(format("the score of key {}", j), B.back());
      if (mode == 0) y.put(1, scores + j, raw ? S : capped);
      if (mode == 1) y.put(1, scores + j, capped);
      if (mode == 2) y.put(1, scores + j, B.back());
    }
    // "A row whose bias is all -Inf": nothing is attended to.
    const bool is_empty = bias.hides_all(b, h, i);
    const AttentionWeights<R> P = attention_weights(x, is_empty ? std::vector<R>() : B);
    for (std::int64_t j = 0; mode == 3 && j < z.total(); ++j)
      y.put(1, scores + j, [&] { return is_empty ? R(0.0) : P.powers[static_cast<size_t>(j)] / P.sum; });
    for (std::int64_t d = 0; d < z.value_size; ++d)
      y.put(0, output + d, [&] {
        R total = x.zero();
        for (std::int64_t j = 0; !is_empty && j < z.total(); ++j) {
          if (!masked_count && bias.is_masked(b, h, i, j)) continue;
          total =
              total + P.powers[static_cast<size_t>(j)] * (j < z.past ? x(*past_V, z.past_key(b, h, j, z.value_size) + d)
                                                                     : x(V, z.key(b, h, j, z.value_size) + d));
        }
        return is_empty ? total : total / P.sum;
      });
  }
};

/// The keys or values of the past, then the new ones: always of 4 axes.
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

std::vector<Value> kernel(const Call& call, std::span<const Output> outs) {
  const Attend attend{call};
  std::vector<Value> y = programs(std::array{outs[0], outs[3]}, attend.z.rows(), attend);
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
      .mistakes(attention_mistakes());
}

}  // namespace opref::ops::onnx
