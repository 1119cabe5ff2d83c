// SPDX-License-Identifier: Apache-2.0
// com.microsoft GroupQueryAttention, version 1
// https://github.com/microsoft/onnxruntime/blob/main/docs/ContribOperators.md#com.microsoft.GroupQueryAttention
#include "ops/operator_file.h"
#include "ops/shared/contrib_attention.h"
#include "ops/unspecified.h"
namespace opref::ops::microsoft::file_group_query_attention {
namespace {
struct Sizes {
  AttentionSizes z;
  std::int64_t capacity;  // of the past: so many rows past_key has
  bool is_packed;         // query has key and value behind it
  std::int64_t width;     // of a token of query
};

void check_unknown(const Call& call) {
  for (const std::string_view name : {"k_quant_type", "v_quant_type"})
    if (call.string(name) != "NONE")
      fail(Fault::unsupported, "attribute '{}' is {}, but opref knows no quantized cache", name, call.string(name));
  for (const std::string_view name : {"k_scale", "v_scale", "q_norm_weight", "k_norm_weight", "query_seqlens"})
    require_unsaid(call, name);
  require_off(call, "sliding_window_cache");
  if (!call.has("past_key")) return;
  const DType cache = call.type("past_key").dtype, T = call.type("query").dtype;
  if (!call.schema().types_of("T").contains(cache))
    fail(Fault::unsupported, "past_key has type {}, but opref knows no quantized cache", cache);
  require(cache == T, "past_key has type {}, but query {}", cache, T);
}

Sizes sizes(const Call& call) {
  const Dims& q = call.type("query").shape;
  require(q.size() == 3, "query has shape {}, but its axes must be batch, tokens and hidden size", q);
  const std::int64_t N = call.integer("num_heads"), G = call.integer("kv_num_heads");
  require(N % G == 0, "attribute 'num_heads' is {}, which is no multiple of kv_num_heads {}", N, G);
  require(call.has("key") == call.has("value"), "key and value are given together or not at all");
  Sizes of{{}, 0, !call.has("key"), q[2]};
  AttentionSizes& z = of.z;
  z.is_flat = true, z.batch = q[0], z.heads = N, z.kv_heads = G, z.queries = z.keys = q[1];
  // "packed QKV with shape (batch_size, sequence_length, d), d = num_heads * head_size + 2 * kv_num_heads * head_size"
  const std::int64_t heads = of.is_packed ? checked_add(N, checked_multiply(2, G)) : N;
  require(q[2] > 0 && q[2] % heads == 0, "query has shape {}, whose last axis is no positive multiple of {} heads", q,
          heads);
  z.size = z.value_size = q[2] / heads;
  if (!of.is_packed) {
    const Dims expected{z.batch, z.keys, G * z.size};
    for (const std::string_view name : {"key", "value"})
      require(call.type(name).shape == expected, "{} has shape {}, but must have {}", name, call.type(name).shape,
              expected);
  }
  require(call.has("past_key") == call.has("past_value"), "past_key and past_value are given together or not at all");
  if (call.has("past_key")) {
    const Dims& past = call.type("past_key").shape;
    require(past.size() == 4, "past_key has shape {}, but must have 4 axes", past);
    of.capacity = past[2];
    const Dims expected{z.batch, G, of.capacity, z.size};
    require(past == expected, "past_key has shape {}, but must have {}", past, expected);
    require(call.type("past_value").shape == past, "past_value has shape {}, but past_key {}",
            call.type("past_value").shape, past);
  }
  return of;
}

void check_rotary(const Call& call, const AttentionSizes& z) {
  if (call.has("position_ids"))
    require(call.type("position_ids").shape == Dims{z.batch, z.queries}, "position_ids has shape {}, but must have {}",
            call.type("position_ids").shape, Dims{z.batch, z.queries});
  if (!call.flag("do_rotary")) return;
  require(call.has("cos_cache") && call.has("sin_cache"), "attribute 'do_rotary' is 1, but {} is missing",
          call.has("cos_cache") ? "sin_cache" : "cos_cache");
  const Dims &cos = call.type("cos_cache").shape, &sin = call.type("sin_cache").shape;
  require(cos.size() == 2, "cos_cache has shape {}, but must have 2 axes", cos);
  require(sin == cos, "sin_cache has shape {}, but cos_cache {}", sin, cos);
  require(cos[1] <= z.size / 2, "cos_cache has shape {}, but heads have {} elements", cos, z.size);
}

/// "Scalar tensor equivalent to the maximum total sequence length (past + new) of the batch"
std::int64_t total_length(const Call& call, const Sizes& of) {
  const std::int64_t total = call.integer("total_sequence_length"), S = of.z.queries, C = of.capacity;
  require(total >= S, "total_sequence_length is {}, but query has {} tokens", total, S);
  if (call.has("past_key"))
    require(total <= C || total == checked_add(C, S),
            "total_sequence_length is {}, but must be at most the {} rows of past_key, or {} with the new ones", total,
            C, checked_add(C, S));
  else
    require(total == S, "total_sequence_length is {}, but without past_key it must be the {} tokens of query", total,
            S);
  return total;
}

std::vector<ValueType> output_types(const Call& call) {
  check_unknown(call);
  const Sizes of = sizes(call);
  const AttentionSizes& z = of.z;
  check_rotary(call, z);
  const Dims& seqlens = call.type("seqlens_k").shape;
  require(seqlens == Dims{z.batch} || seqlens == Dims{z.batch, 1}, "seqlens_k has shape {}, but must have {}", seqlens,
          Dims{z.batch});
  require_scalar_or_one(call, "total_sequence_length");
  const std::int64_t window = call.integer("local_window_size");
  require(window != 0, "attribute 'local_window_size' is 0, but must be -1 or > 0");
  require(window == -1 || call.flag("causal"), "attribute 'local_window_size' is {}, but causal is 0", window);
  if (call.has("head_sink"))
    require(call.type("head_sink").shape == Dims{z.heads}, "head_sink has shape {}, but must have {}",
            call.type("head_sink").shape, Dims{z.heads});
  // "Output values of QK matrix multiplication before (1) or after (2) softmax normalization. Default value is 0"
  const bool is_told = call.integer("qk_output") != 0, is_wanted = call.wants("output_qk");
  require(is_told || !is_wanted, "output_qk is asked for, but attribute 'qk_output' is 0");
  require(!is_told || is_wanted, "attribute 'qk_output' is {}, but output_qk is not asked for",
          call.integer("qk_output"));
  const bool is_known = call.has_value("total_sequence_length");
  const std::optional<std::int64_t> total =
      is_known || call.wants("present_key") || is_wanted ? std::optional(total_length(call, of)) : std::nullopt;
  check_attention_bias(call, z, total);
  const DType T = call.type("query").dtype;
  const TensorType cache{T, {z.batch, z.kv_heads, std::max(of.capacity, total.value_or(0)), z.size}};
  return {TensorType{T, {z.batch, z.queries, z.heads * z.size}}, cache, cache,
          TensorType{T, {z.batch, z.heads, z.queries, total.value_or(0)}}};
}

/// Whether nothing was there before: the caches' rows, whatever they hold, are none of the past.
bool is_first_prompt(const Call& call, std::int64_t total, std::int64_t tokens) {
  return call.reads("group_query_attention.prompt", "length") ? total == tokens : !call.has("past_key");
}

/// With what the values say: `total`, of each batch row its own. seqlens_k is "equivalent to (total_sequence_lengths -
/// 1)".
AttentionSizes sizes_by_values(const Call& call, const Sizes& of) {
  AttentionSizes z = of.z;
  const std::int64_t S = z.queries, total = total_length(call, of);
  z.past = total - S;
  const bool is_first = is_first_prompt(call, total, S);
  require(is_first || S == 1 || z.batch == 1, "query has {} tokens of {} batch rows, but after a first prompt {}", S,
          z.batch, "several tokens must be of one");
  const std::vector<std::int64_t> lengths = call.integers("seqlens_k");
  bool are_alike = true;
  for (size_t b = 0; b < lengths.size(); ++b) {
    const std::int64_t length = lengths[b] + 1, past = is_first ? 0 : length - S;
    require(length >= 1 && length <= total, "seqlens_k[{}] + 1 is {}, but must be from 1 to total_sequence_length {}",
            b, length, total);
    require(past >= 0 && past <= of.capacity, "seqlens_k[{}] + 1 is {}: {} tokens before {} new ones, of at most {}", b,
            length, past, S, of.capacity);
    z.rows.push_back({past, length, std::min(S, length - past)});
    are_alike &= past == z.past && length == total;
  }
  if (are_alike) z.rows.clear();
  return z;
}

/// The row of the caches of each token of each batch row.
std::vector<std::int64_t> rows_of_caches(const Call& call, const AttentionSizes& z) {
  std::vector<std::int64_t> ids, rows;
  if (call.has("position_ids")) ids = call.integers("position_ids");
  // "When processing the first prompt the kernel uses only the first element"
  const bool counts =
      is_first_prompt(call, z.total(), z.queries) && call.reads("group_query_attention.position_ids", "first");
  for (std::int64_t token = 0, n = element_count({z.batch, z.queries}); token < n; ++token) {
    const std::int64_t b = token / z.queries, s = token % z.queries;
    const std::int64_t row = ids.empty() ? z.row(b).past + s
                             : counts    ? checked_add(ids[0], s)
                                         : ids[static_cast<size_t>(token)];
    const bool is_used = s < z.row(b).queries;
    if (is_used) require_rotary_row(call, format("the position of token {} of batch row {}", s, b), row);
    rows.push_back(is_used ? row : 0);
  }
  return rows;
}

AttentionInputs inputs_of(const Call& call, const Sizes& of, const AttentionSizes& z) {
  const std::int64_t H = z.size, S = z.queries;
  const auto heads = [&](std::string_view name, std::int64_t first, std::int64_t n) -> TokenVectors {
    if (of.is_packed) return {call.input("query"), {first * H, S * of.width, H, of.width}, H};
    return {call.input(name), TokenVectors::flat(S, n, H), H};
  };
  TokenVectors Q = heads("query", 0, z.heads), K = heads("key", z.heads, z.kv_heads),
               V = heads("value", z.heads + z.kv_heads, z.kv_heads);
  if (call.flag("do_rotary")) {
    const Rotation rotation{Elements(call.input("cos_cache")), Elements(call.input("sin_cache")),
                            2 * call.type("cos_cache").shape[1], call.flag("rotary_interleaved")};
    const std::vector<std::int64_t> rows = rows_of_caches(call, z);
    Q = Q.turned(rotation, rows, S), K = K.turned(rotation, rows, S);
  }
  const auto past = [&](std::string_view name) {
    return z.past > 0 || !z.rows.empty()
               ? call.has(name) ? std::optional<TokenVectors>(std::in_place, call.input(name),
                                                              TokenVectors::by_head(of.capacity, z.kv_heads, H), H)
                                : std::nullopt
               : std::nullopt;
  };
  return {z, Q, {past("past_key"), K}, {past("past_value"), V}};
}

/// "Each head has a smooth factor adding to the denominator of softmax": e^sink, else e^0
std::optional<Tensor> sinks_of(const Call& call, const AttentionSizes& z) {
  if (call.has("head_sink")) return call.input("head_sink");
  if (call.integer("smooth_softmax") != 1) return std::nullopt;
  return zeros_of({call.type("query").dtype, {z.heads}});
}

/// Tells the sink where the one element that is asked for is one that the page leaves open.
bool tell_unspecified(const Call& call, std::span<const Output> outs) {
  for (const Output& out : outs) {
    if (!out.wanted() || out.sink() == nullptr || !out.only()) continue;
    const Unspecified is_open = unspecified_of_group_query_attention(call, out.place());
    if (!is_open || !is_open(*out.only())) continue;
    out.sink()->fills();
    out.sink()->leaves_out(
        "the page does not say what stands here, beyond the tokens that seqlens_k counts: opref "
        "writes 0, and comparisons leave it out");
    return true;
  }
  return false;
}

std::vector<Value> zeros_of_all(std::span<const Output> outs) {
  std::vector<Value> zeros;
  for (const Output& out : outs) zeros.emplace_back(out.wanted() ? zeros_of(out.type()) : Tensor{});
  return zeros;
}

// S = scale·Q·K^T,  S' = softcap·tanh(S/softcap),  B = S' + attention_bias, or -Inf where causal and local_window_size
// exclude a key,  P = softmax(B, sink),  output = P·V
// of Q, K, V: those of query, key and value, the first two turned, behind the rows of the past
std::vector<Value> kernel(const Call& call, std::span<const Output> outs) {
  const Sizes of = sizes(call);
  const AttentionSizes z = sizes_by_values(call, of);
  if (tell_unspecified(call, outs)) return zeros_of_all(outs);
  const std::int64_t window = call.integer("local_window_size"),
                     before = call.reads("group_query_attention.window", "with_own") ? window - 1 : window;
  AttentionBias::Rules rules{.is_causal = call.flag("causal"), .left = window > 0 ? before : -1};
  if (call.has("attention_bias")) rules.mask = call.input("attention_bias");
  const AttentionNode node{
      .z = z,
      .inputs = inputs_of(call, of, z),
      .bias = AttentionBias(z, rules),
      .scale = contrib_scale(call),
      .softcap = call.has("softcap") ? call.number("softcap") : 0,
      .mode = call.integer("qk_output") + 1,
      .sinks = sinks_of(call, z),
      .masked_score = call.reads("group_query_attention.qk", "zero") ? std::optional(0.0) : std::nullopt};
  std::vector<Value> y = attention_by(std::array{outs[0], outs[3]}, node);
  return {std::move(y[0]), present(outs[1], z, {node.inputs.K()}), present(outs[2], z, {node.inputs.V()}),
          std::move(y[1])};
}

/// That the page leaves tokens of padding in a first prompt open.
std::vector<Note> notes(const Call& call) {
  if (!call.has_value("seqlens_k") || !call.has_value("total_sequence_length")) return {};
  const Sizes of = sizes(call);
  const AttentionSizes z = sizes_by_values(call, of);
  for (size_t b = 0; b < z.rows.size(); ++b)
    if (z.rows[b].queries < z.queries)
      return {warning("output", format("is not specified for tokens from {} on of batch row {}, which lie beyond "
                                       "seqlens_k: opref writes 0, and comparisons leave them out",
                                       z.rows[b].queries, b))};
  return {};
}

Range quantizations() { return one_of({"NONE", "PER_TENSOR", "PER_CHANNEL"}); }

void version_1(OpSchema& s) {
  s.input("query", "T")
      .input("key", "T", Arity::optional)
      .input("value", "T", Arity::optional)
      .input("past_key", "T_CACHE", Arity::optional);
  s.input("past_value", "T_CACHE", Arity::optional)
      .input("seqlens_k", "M")
      .input("total_sequence_length", "M")
      .input("cos_cache", "T", Arity::optional);
  s.input("sin_cache", "T", Arity::optional)
      .input("position_ids", "int64", Arity::optional)
      .input("attention_bias", "T", Arity::optional)
      .input("head_sink", "T", Arity::optional);
  s.input("k_scale", "T_KV_SCALE", Arity::optional)
      .input("v_scale", "T_KV_SCALE", Arity::optional)
      .input("q_norm_weight", "T", Arity::optional)
      .input("k_norm_weight", "T", Arity::optional);
  s.input("query_seqlens", "M", Arity::optional)
      .output("output", "T")
      .output("present_key", "T_CACHE", Arity::optional)
      .output("present_value", "T_CACHE", Arity::optional);
  s.output("output_qk", "T", Arity::optional)
      .types("T", {DType::bfloat16, DType::float16, DType::float32})
      .types("T_CACHE",
             {DType::bfloat16, DType::float16, DType::float32, DType::float8_e4m3fn, DType::int8, DType::uint8})
      .types("T_KV_SCALE", DType::float32);
  s.types("M", DType::int32);
  s.attribute(with_default("causal", 1, flag()))
      .attribute(optional(INT, "do_rotary", flag()))
      .attribute(optional(FLOAT, "k_norm_epsilon"))
      .attribute(with_default("k_quant_type", "NONE", quantizations()));
  s.attribute(optional(INT, "kv_cache_bit_width"))
      .attribute(required(INT, "kv_num_heads", at_least(1)))
      .attribute(with_default("local_window_size", -1, at_least(-1)))
      .attribute(required(INT, "num_heads", at_least(1)));
  s.attribute(optional(FLOAT, "q_norm_epsilon"))
      .attribute(with_default("qk_norm_epsilon", 1e-06F))
      .attribute(with_default("qk_output", 0, between(0, 2)))
      .attribute(optional(INT, "rotary_interleaved", flag()));
  s.attribute(optional(FLOAT, "scale"))
      .attribute(with_default("sliding_window_cache", 0, flag()))
      .attribute(with_default("smooth_softmax", -1, between(-1, 1)))
      .attribute(optional(FLOAT, "softcap", at_least(0)));
  s.attribute(with_default("v_quant_type", "NONE", quantizations()));
}

bool is_prompt_with_past(const Call& call) {
  return call.has("past_key") && call.has_value("total_sequence_length") &&
         call.integer("total_sequence_length") == call.type("query").shape[1];
}
bool has_window(const Call& call) { return call.integer("local_window_size") > 0; }
bool has_positions(const Call& call) { return call.flag("do_rotary") && call.has("position_ids"); }
bool gives_scores(const Call& call) { return call.integer("qk_output") == 1; }
}  // namespace
Unspecified unspecified_of_group_query_attention(const Call& call, size_t output) {
  if (!call.has_value("seqlens_k") || !call.has_value("total_sequence_length")) return nullptr;
  const AttentionSizes z = sizes_by_values(call, sizes(call));
  if (output == 0)
    return [z](std::int64_t i) {
      const std::int64_t token = i / (z.heads * z.size);
      return token % z.queries >= z.row(token / z.queries).queries;
    };
  const std::int64_t rows = std::max(sizes(call).capacity, z.total());
  if (output == 3)
    return [z](std::int64_t i) {
      const std::int64_t row = i / z.total();
      return row % z.queries >= z.row(row / z.queries / z.heads).queries;
    };
  return [z, rows](std::int64_t i) {
    const std::int64_t row = i / z.size;
    return row % rows >= z.row(row / rows / z.kv_heads).total;
  };
}
Operator group_query_attention() {
  return Operator("com.microsoft", "GroupQueryAttention")
      .summary("attention whose queries share heads of keys and values, which a cache keeps")
      .version(1, version_1)
      .reading({.name = "group_query_attention.prompt",
                .alternatives = {"length: nothing is past where total_sequence_length is the number of new tokens",
                                 "no_cache: where past_key is not given"},
                .defaults = {{1, "length"}},
                .reason = "total_sequence_length is used \"for determining prompt vs token generation case\"",
                .may_change_values = is_prompt_with_past})
      .reading({.name = "group_query_attention.window",
                .alternatives = {"with_own: local_window_size keys are seen, a query's own one included",
                                 "beside_own: so many before its own one"},
                .defaults = {{1, "with_own"}},
                .reason = "onnxruntime 1.32; kernels of older releases let one key more",
                .may_change_values = has_window})
      .reading(
          {.name = "group_query_attention.position_ids",
           .alternatives = {"first: a first prompt counts on from the first element", "all: each token has its own"},
           .defaults = {{1, "first"}},
           .reason = "\"When processing the first prompt the kernel uses only the first element\"",
           .may_change_values = has_positions})
      .reading({.name = "group_query_attention.qk",
                .alternatives = {"zero: output_qk has 0 where a key is masked", "infinite: it has its score, -Inf"},
                .defaults = {{1, "zero"}},
                .reason = "onnxruntime; the page does not say it. A bias of -Inf makes a score -Inf",
                .may_change_values = gives_scores})
      .output_types(output_types)
      .notes(notes)
      .kernel(kernel);
}
}  // namespace opref::ops::microsoft::file_group_query_attention
