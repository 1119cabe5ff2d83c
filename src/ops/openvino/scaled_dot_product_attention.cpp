// SPDX-License-Identifier: Apache-2.0
// openvino ScaledDotProductAttention, version 13 (opset13)
#include "ops/operator_file.h"
#include "ops/shared/attention.h"
#include "ops/shared/openvino.h"
namespace opref::ops::openvino::file_scaled_dot_product_attention {
namespace {
/// The axes before the last two.
Dims leading(const Dims& shape) { return shape.first(shape.size() - 2); }
Dims all_leading(const Call& call) {
  const Dims &q = call.type("query").shape, &k = call.type("key").shape, &v = call.type("value").shape;
  return broadcast(broadcast(leading(q), leading(k)), leading(v));
}
Dims with_last(Dims lead, std::int64_t rows, std::int64_t columns) {
  lead.push_back(rows), lead.push_back(columns);
  return lead;
}

/// Whether it is given and says something: a scalar of numbers is none, as the page says of a scalar 0.
bool has_mask(const Call& call) {
  if (!call.has("attention_mask") || call.flag("causal")) return false;
  const TensorType& mask = call.type("attention_mask");
  return mask.rank() > 0 || mask.dtype == DType::boolean;
}

std::vector<ValueType> output_types(const Call& call) {
  if (call.has("sink")) fail(Fault::unsupported, "sink is given, which the page does not have");
  const auto& [dtype, q] = call.type("query");
  const Dims &k = call.type("key").shape, &v = call.type("value").shape;
  for (const std::string_view input : {"query", "key", "value"})
    require(call.type(input).rank() >= 3, "{} has shape {}, but must have at least 3 axes", input,
            call.type(input).shape);
  const std::int64_t L = q[q.size() - 2], S = k[k.size() - 2];
  require(q[q.size() - 1] == k[k.size() - 1],
          "query has shape {} and key has shape {}, but their last sizes must agree", q, k);
  require(S == v[v.size() - 2], "key has shape {} and value has shape {}, but must have as many rows", k, v);
  const Dims lead = all_leading(call);
  if (call.has("attention_mask")) {
    const auto& [type, mask] = call.type("attention_mask");
    require(type == DType::boolean || type == dtype, "attention_mask has type {}, but must have {} or {}", type, dtype,
            DType::boolean);
    const Dims to = with_last(lead, L, S);
    if (has_mask(call))
      require(mask.size() <= to.size() && broadcast(mask, to) == to,
              "attention_mask has shape {}, which does not broadcast to {}", mask, to);
  }
  if (call.has("scale")) require_scalar_or_one(call, "scale");
  return {TensorType{dtype, with_last(lead, L, v[v.size() - 1])}};
}

/// With these leading axes, which are then one, beside an axis of one head.
Tensor in_one_head(const Output& out, const Tensor& x, const Dims& lead) {
  const Dims& shape = x.shape();
  const std::int64_t rows = shape[shape.size() - 2], columns = shape[shape.size() - 1];
  const Dims to = with_last(lead, rows, columns);
  const Tensor whole = shape == to ? x : move(out.inner(TensorType{x.dtype(), to}), x, broadcast_places(shape, to));
  return whole.reshaped({element_count(lead), 1, rows, columns});
}
/// The mask, if there is one: of all batches alike where it says so.
std::optional<Tensor> mask_of(const Call& call, const Output& out, const Dims& lead) {
  if (!has_mask(call)) return std::nullopt;
  const Tensor& stated = call.input("attention_mask");
  const Dims shape = broadcast(stated.shape(), {1, 1}), same = Dims::filled(shape.size() - 2, 1);
  return in_one_head(out, stated.reshaped(shape), leading(shape) == same ? same : lead);
}

// out = softmax(query·key^T·scale + bias)·value. bias: 0, or -Inf above the diagonal that begins in the upper left
// corner (causal); else the mask, or 0 and -Inf where it is boolean
std::vector<Value> kernel(const Call& call, std::span<const Output> outs) {
  const Dims lead = all_leading(call);
  const Tensor Q = in_one_head(outs[0], call.input("query"), lead), K = in_one_head(outs[0], call.input("key"), lead),
               V = in_one_head(outs[0], call.input("value"), lead);
  AttentionSizes z{};
  z.batch = Q.shape()[0], z.heads = z.kv_heads = 1;
  z.queries = Q.shape()[2], z.keys = K.shape()[2], z.size = Q.shape()[3], z.value_size = V.shape()[3];
  return attention_by(
      outs, {.z = z,
             .inputs = AttentionInputs(z, {Q, z.places(z.queries, 1, z.size), z.size},
                                       {{}, {K, z.places(z.keys, 1, z.size), z.size}},
                                       {{}, {V, z.places(z.keys, 1, z.value_size), z.value_size}}),
             .bias = AttentionBias(z, {.mask = mask_of(call, outs[0], lead), .is_causal = call.flag("causal")}),
             .scale = call.has("scale") ? std::optional(call.number("scale")) : std::nullopt,
             .empty_is_nan = call.reads("attention.masked_row", "nan")});
}
}  // namespace
Operator scaled_dot_product_attention() {
  return Operator("openvino", "ScaledDotProductAttention")
      .summary("values weighted by how well their keys match each query")
      .page("sequence/scaled-dot-product-attention")
      .category("category sequence processing")
      .version(13,
               [](OpSchema& s) {
                 s.attribute(required(INT, "causal", flag()))
                     .input("query", "T")
                     .input("key", "T")
                     .input("value", "T")
                     .input("attention_mask", "T_MASK", Arity::optional)
                     .input("scale", "T", Arity::optional)
                     .input("sink", "T", Arity::optional)
                     .output("out", "T")
                     .types("T", computed_floats)
                     .types("T_MASK", computed_floats | DType::boolean);
               })
      .reading(masked_row_reading(13, has_mask))
      .output_types(output_types)
      .kernel(kernel);
}
}  // namespace opref::ops::openvino::file_scaled_dot_product_attention
