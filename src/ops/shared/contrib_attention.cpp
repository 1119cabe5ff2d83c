// SPDX-License-Identifier: Apache-2.0
#include "ops/shared/contrib_attention.h"

#include <algorithm>
#include <memory>

#include "core/error.h"
namespace opref::ops {
void require_unsaid(const Call& call, std::string_view input) {
  if (call.has(input)) fail(Fault::unsupported, "{} is given, which opref does not know", input);
}
void require_off(const Call& call, std::string_view attribute) {
  if (call.flag(attribute)) fail(Fault::unsupported, "attribute '{}' is 1, which opref does not know", attribute);
}

std::optional<double> contrib_scale(const Call& call) {
  const std::optional<double> scale = stated_scale(call);
  return scale && *scale == 0 ? std::nullopt : scale;
}

void check_attention_bias(const Call& call, const AttentionSizes& z, std::optional<std::int64_t> total) {
  if (!call.has("attention_bias")) return;
  const Dims& bias = call.type("attention_bias").shape;
  require(bias.size() == 4, "attention_bias has shape {}, but must have 4 axes", bias);
  const Dims expected{bias[0] == 1 ? 1 : z.batch, bias[1] == 1 ? 1 : z.heads, z.queries, total.value_or(bias[3])};
  require(bias == expected, "attention_bias has shape {}, but must have {}", bias, expected);
}

MaskKind padding_of(const Call& call, std::string_view mask, const AttentionSizes& z, bool may_have_starts) {
  const Dims& shape = call.type(mask).shape;
  const std::int64_t B = z.batch;
  if (shape == Dims{B}) return MaskKind::ends;
  if (may_have_starts && shape == Dims{checked_multiply(2, B)}) return MaskKind::ends_and_starts;
  if (shape == Dims{checked_add(checked_multiply(3, B), 2)})
    fail(Fault::unsupported, "{} has shape {}, (3·batch_size + 2), which opref does not know", mask, shape);
  if (shape.size() == 4) fail(Fault::unsupported, "{} has shape {}, of 4 axes, which opref does not know", mask, shape);
  if (shape == Dims{B, z.total()}) return MaskKind::keys;
  require(shape == Dims{B, z.queries, z.total()}, "{} has shape {}, but must have {}, {} or {}", mask, shape, Dims{B},
          Dims{B, z.total()}, Dims{B, z.queries, z.total()});
  return MaskKind::queries_and_keys;
}

AttentionBias contrib_bias(const Call& call, std::string_view mask, const AttentionSizes& z) {
  AttentionBias::Rules rules{.is_causal = call.flag("unidirectional"),
                             .last_sees_all = z.queries != z.keys && call.reads("attention.single_query", "attends")};
  if (call.has_here("attention_bias")) rules.mask = call.input("attention_bias");
  if (!call.has(mask)) return {z, rules};
  const double fill = call.has("mask_filter_value") ? call.number("mask_filter_value") : -10000.0;
  KeyPadding padding{.fill = call.reads("attention.fill", "added") ? fill : -std::numeric_limits<double>::infinity()};
  if (call.type(mask).rank() == 1) {
    padding.ends = call.integers(mask);
    const auto starts = padding.ends.begin() + z.batch;
    padding.starts.assign(starts, padding.ends.end());
    padding.ends.erase(starts, padding.ends.end());
  } else {
    padding.mask = call.input(mask);
  }
  rules.padding = std::move(padding);
  return {z, rules};
}

Reading fill_reading(bool (*may_change_values)(const Call&)) {
  return {.name = "attention.fill",
          .alternatives = {"added: scores of padding have mask_filter_value added",
                           "infinite: padding has no weight, as if that were -Inf"},
          .defaults = {{1, "added"}},
          .reason = "onnxruntime adds it; \"the value to be filled in the attention mask\"",
          .may_change_values = may_change_values};
}

ProjectedSizes projected_sizes(const Call& call, std::string_view weights, const Dims& hidden) {
  require_off(call, "do_rotary"), require_off(call, "past_present_share_buffer");
  const Dims &x = call.type("input").shape, &w = call.type(weights).shape;
  const std::int64_t heads = call.integer("num_heads");
  for (const std::int64_t size : hidden)
    require(size > 0 && size % heads == 0, "a hidden size is {}, which is no positive multiple of num_heads {}", size,
            heads);
  require(x.size() == 3, "input has shape {}, but must have 3 axes", x);
  require(w[0] == x[2], "{} has shape {}, but input {}", weights, w, x);
  AttentionSizes z{};
  z.batch = x[0], z.heads = z.kv_heads = heads, z.queries = z.keys = x[1];
  z.size = hidden[0] / heads, z.value_size = hidden[2] / heads, z.is_flat = true;
  if (call.has("past")) {
    const Dims& past = call.type("past").shape;
    require(z.size == z.value_size, "past is given, but the hidden sizes of Q, K and V are {}", hidden);
    require(past.size() == 5, "past has shape {}, but must have 5 axes", past);
    z.past = past[3];
    require(past == Dims{2, z.batch, heads, z.past, z.size}, "past has shape {}, but must have {}", past,
            Dims{2, z.batch, heads, z.past, z.size});
  }
  checked_add(z.past, z.keys);  // total() fits
  if (call.has("mask_index")) padding_of(call, "mask_index", z, true);
  return {z, w[0], w[1]};
}

std::vector<ValueType> projected_types(const Call& call, const ProjectedSizes& sizes, DType dtype) {
  const AttentionSizes& z = sizes.z;
  const bool is_there = z.size == z.value_size;  // "when there is past state, hidden dimension for Q, K and V shall be"
  require(is_there || !call.wants("present"), "present is asked for, but heads of K have {} elements, those of V {}",
          z.size, z.value_size);
  return {TensorType{dtype, {z.batch, z.queries, z.heads * z.value_size}},
          TensorType{dtype, {2, z.batch, z.heads, z.total(), z.size}}};
}

std::vector<Value> projected_attention(const Call& call, std::span<const Output> outs, const ProjectedSizes& sizes,
                                       Projection projection, std::int64_t x_zero_point) {
  const AttentionSizes& z = sizes.z;
  const Tensor& X = call.input("input");
  projection.is_told = std::ranges::any_of(outs, [](const Output& out) { return out.sink() != nullptr; });
  const auto shared = std::make_shared<const Projection>(std::move(projection));
  const auto projected = [&](std::int64_t column, std::int64_t size) {
    return TokenVectors(X, {0, z.queries * sizes.inputs, 0, sizes.inputs}, size)
        .projected(shared, column, x_zero_point);
  };
  const auto past = [&](std::int64_t part) {
    if (!call.has("past")) return std::optional<TokenVectors>();
    TokenVectors::Places places = TokenVectors::by_head(z.past, z.heads, z.size);
    places.first = part * z.batch * places.batch;
    return std::optional<TokenVectors>(std::in_place, call.input("past"), places, z.size);
  };
  const std::int64_t hidden = z.heads * z.size;
  const AttentionInputs inputs(z, projected(0, z.size), {past(0), projected(hidden, z.size)},
                               {past(1), projected(2 * hidden, z.value_size)});
  std::vector<Value> y = attention_by(
      outs.first(1),
      {.z = z, .inputs = inputs, .bias = contrib_bias(call, "mask_index", z), .scale = contrib_scale(call)});
  y.push_back(present(outs[1], z, {inputs.K(), inputs.V()}));
  return y;
}
}  // namespace opref::ops
