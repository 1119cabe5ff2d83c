// SPDX-License-Identifier: Apache-2.0
// com.microsoft MultiHeadAttention, version 1
// https://github.com/microsoft/onnxruntime/blob/main/docs/ContribOperators.md#com.microsoft.MultiHeadAttention
#include "ops/operator_file.h"
#include "ops/shared/contrib_attention.h"
namespace opref::ops::microsoft::file_multi_head_attention {
namespace {
/// How query, key and value lie: each (batch, tokens, hidden); all in query, (batch, tokens, heads, 3, size); key and
/// value in key, (batch, tokens, heads, 2, size); or key and value (batch, heads, tokens, size).
enum class Layout : std::uint8_t { separate, packed, packed_kv, by_head };

Layout layout_of(const Call& call) {
  if (call.type("query").rank() == 5) {
    require(!call.has("key") && !call.has("value"), "query has 5 axes, which hold key and value: both must be absent");
    return Layout::packed;
  }
  require(call.has("key"), "key is missing: query has shape {}, not 5 axes", call.type("query").shape);
  const size_t rank = call.type("key").rank();
  if (rank == 5) {
    require(!call.has("value"), "key has 5 axes, which hold value: it must be absent");
    return Layout::packed_kv;
  }
  require(call.has("value"), "value is missing: key has shape {}, not 5 axes", call.type("key").shape);
  require(rank == 3 || rank == 4, "key has shape {}, but must have 3, 4 or 5 axes", call.type("key").shape);
  return rank == 4 ? Layout::by_head : Layout::separate;
}

AttentionSizes sizes(const Call& call) {
  const Layout layout = layout_of(call);
  const Dims& q = call.type("query").shape;
  const std::int64_t N = call.integer("num_heads");
  AttentionSizes z{};
  z.is_flat = true, z.heads = z.kv_heads = N, z.batch = q[0];
  if (layout == Layout::packed) {
    require(q[2] == N && q[3] == 3, "query has shape {}, but must have {}", q, Dims{q[0], q[1], N, 3, q[4]});
    z.queries = z.keys = q[1], z.size = z.value_size = q[4];
  } else {
    require(q.size() == 3, "query has shape {}, but must have 3 or 5 axes", q);
    require(q[2] % N == 0, "query has shape {}, whose last axis is no multiple of num_heads {}", q, N);
    const Dims &k = call.type("key").shape, &v = call.type(call.has("value") ? "value" : "key").shape;
    require(v.size() == k.size(), "key has shape {}, but value {}", k, v);
    z.queries = q[1], z.keys = k[layout == Layout::by_head ? 2 : 1], z.size = q[2] / N;
    require(layout != Layout::separate || v[2] % N == 0,
            "value has shape {}, whose last axis is no multiple of num_heads {}", v, N);
    z.value_size = layout == Layout::separate ? v[2] / N : v[v.size() - 1];
    const auto shape = [&](std::int64_t size) {
      return layout == Layout::by_head     ? Dims{z.batch, N, z.keys, size}
             : layout == Layout::packed_kv ? Dims{z.batch, z.keys, N, 2, size}
                                           : Dims{z.batch, z.keys, N * size};
    };
    require(k == shape(z.size), "key has shape {}, but must have {}", k, shape(z.size));
    if (call.has("value"))
      require(v == shape(z.value_size), "value has shape {}, but must have {}", v, shape(z.value_size));
  }
  require(z.size > 0, "query has shape {}, but heads must have elements", q);
  require(call.has("past_key") == call.has("past_value"), "past_key and past_value are given together or not at all");
  if (call.has("past_key")) {
    require(layout != Layout::by_head, "past_key is given, but key of 4 axes is itself the past");
    const Dims& k = call.type("past_key").shape;
    require(k.size() == 4, "past_key has shape {}, but must have 4 axes", k);
    z.past = k[2];
    const Dims expected{z.batch, N, z.past, z.size}, of_values{z.batch, N, z.past, z.value_size};
    require(k == expected, "past_key has shape {}, but must have {}", k, expected);
    require(call.type("past_value").shape == of_values, "past_value has shape {}, but must have {}",
            call.type("past_value").shape, of_values);
  }
  checked_add(z.past, z.keys);  // total() fits
  return z;
}

std::vector<ValueType> output_types(const Call& call) {
  require_unsaid(call, "past_sequence_length"), require_unsaid(call, "cache_indirection");
  const AttentionSizes z = sizes(call);
  // "Bias tensor with shape (hidden_size + hidden_size + v_hidden_size)"
  const std::int64_t hidden = checked_multiply(z.heads, checked_add(checked_multiply(2, z.size), z.value_size));
  if (call.has("bias"))
    require(call.type("bias").shape == Dims{hidden}, "bias has shape {}, but must have {}", call.type("bias").shape,
            Dims{hidden});
  if (call.has("key_padding_mask")) padding_of(call, "key_padding_mask", z, false);
  check_attention_bias(call, z, z.total());
  const DType T = call.type("query").dtype;
  return {TensorType{T, {z.batch, z.queries, z.heads * z.value_size}},
          TensorType{T, {z.batch, z.heads, z.total(), z.size}},
          TensorType{T, {z.batch, z.heads, z.total(), z.value_size}},
          TensorType{T, {z.batch, z.heads, z.queries, z.total()}}};
}

/// Part `k` of so many that a tensor holds of each head: (batch, n, heads, parts, size).
TokenVectors part(const Tensor& x, std::int64_t k, std::int64_t parts, const AttentionSizes& z, std::int64_t n) {
  const std::int64_t head = parts * z.size, token = z.heads * head;
  return {x, {k * z.size, n * token, head, token}, z.size};
}

AttentionInputs inputs_of(const Call& call, const AttentionSizes& z) {
  const Layout layout = layout_of(call);
  const Tensor& query = call.input("query");
  const auto kv = [&](std::int64_t k, std::string_view name, std::int64_t size) -> TokenVectors {
    if (layout == Layout::packed) return part(query, 1 + k, 3, z, z.keys);
    if (layout == Layout::packed_kv) return part(call.input("key"), k, 2, z, z.keys);
    return {call.input(name),
            layout == Layout::by_head ? TokenVectors::by_head(z.keys, z.heads, size)
                                      : TokenVectors::flat(z.keys, z.heads, size),
            size};
  };
  TokenVectors Q = layout == Layout::packed
                       ? part(query, 0, 3, z, z.queries)
                       : TokenVectors(query, TokenVectors::flat(z.queries, z.heads, z.size), z.size),
               K = kv(0, "key", z.size), V = kv(1, "value", z.value_size);
  if (call.has("bias")) {
    const Tensor& bias = call.input("bias");
    const std::int64_t hidden = z.heads * z.size;
    Q = Q.with_bias(bias, 0);
    if (layout != Layout::by_head || call.reads("multi_head_attention.bias_of_past", "added"))
      K = K.with_bias(bias, hidden), V = V.with_bias(bias, 2 * hidden);
  }
  const auto past = [&](std::string_view name, std::int64_t size) {
    return call.has(name) ? std::optional<TokenVectors>(std::in_place, call.input(name),
                                                        TokenVectors::by_head(z.past, z.heads, size), size)
                          : std::nullopt;
  };
  return {z, Q, {past("past_key", z.size), K}, {past("past_value", z.value_size), V}};
}

// qk = scale·(query + bias)·(key + bias)^T + attention_bias + mask
// output = softmax(qk)·(value + bias)
std::vector<Value> kernel(const Call& call, std::span<const Output> outs) {
  const AttentionSizes z = sizes(call);
  const AttentionNode node{.z = z,
                           .inputs = inputs_of(call, z),
                           .bias = contrib_bias(call, "key_padding_mask", z),
                           .scale = contrib_scale(call),
                           .mode = 2};
  std::vector<Value> y = attention_by(std::array{outs[0], outs[3]}, node);
  return {std::move(y[0]), present(outs[1], z, {node.inputs.K()}), present(outs[2], z, {node.inputs.V()}),
          std::move(y[1])};
}

void version_1(OpSchema& s) {
  s.input("query", "T")
      .input("key", "T", Arity::optional)
      .input("value", "T", Arity::optional)
      .input("bias", "T", Arity::optional);
  s.input("key_padding_mask", "M", Arity::optional)
      .input("attention_bias", "T", Arity::optional)
      .input("past_key", "T", Arity::optional)
      .input("past_value", "T", Arity::optional);
  s.input("past_sequence_length", "M", Arity::optional)
      .input("cache_indirection", "M", Arity::optional)
      .output("output", "T")
      .output("present_key", "T", Arity::optional);
  s.output("present_value", "T", Arity::optional)
      .output("qk", "QK", Arity::optional)
      .types("T", {DType::bfloat16, DType::float16, DType::float32})
      .types("QK", {DType::bfloat16, DType::float16, DType::float32});
  s.types("M", DType::int32);
  s.attribute(optional(FLOAT, "mask_filter_value"))
      .attribute(required(INT, "num_heads", at_least(1)))
      .attribute(optional(FLOAT, "scale"))
      .attribute(with_default("unidirectional", 0, flag()));
}

bool has_mask(const Call& call) { return call.has("key_padding_mask"); }
bool has_bias(const Call& call) { return call.has("bias") && layout_of(call) == Layout::by_head; }
bool has_more_keys(const Call& call) {
  const AttentionSizes z = sizes(call);
  return call.flag("unidirectional") && z.keys > z.queries;
}
}  // namespace
Operator multi_head_attention() {
  return Operator("com.microsoft", "MultiHeadAttention")
      .summary("values weighted by how well their keys match each query, per head")
      .version(1, version_1)
      .reading(fill_reading(has_mask))
      .reading({.name = "attention.single_query",
                .alternatives = {"excluded: unidirectional leaves out keys after a query's own",
                                 "attends: the last query attends to all keys"},
                .defaults = {{1, "excluded"}},
                .reason = "\"every token can only attend to previous tokens\"; onnxruntime lets the last one see all",
                .may_change_values = has_more_keys})
      .reading({.name = "multi_head_attention.bias_of_past",
                .alternatives = {"none: key and value of 4 axes get no bias", "added: they get theirs"},
                .defaults = {{1, "none"}},
                .reason = "the page calls them past_key and past_value; bias is that of an input projection",
                .may_change_values = has_bias})
      .output_types(output_types)
      .kernel(kernel);
}
}  // namespace opref::ops::microsoft::file_multi_head_attention
