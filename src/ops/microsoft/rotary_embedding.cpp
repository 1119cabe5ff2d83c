// SPDX-License-Identifier: Apache-2.0
// com.microsoft RotaryEmbedding, version 1
// https://github.com/microsoft/onnxruntime/blob/main/docs/ContribOperators.md#com.microsoft.RotaryEmbedding
#include "ops/operator_file.h"
#include "ops/shared/rotary.h"
namespace opref::ops::microsoft::file_rotary_embedding {
namespace {
RotarySizes sizes(const Call& call) {
  const Dims &x = call.type("input").shape, &cache = call.type("cos_cache").shape;
  require(x.size() == 3 || x.size() == 4, "input has shape {}, but must have 3 or 4 axes", x);
  require(cache.size() == 2, "cos_cache has shape {}, but must have 2 axes", cache);
  require(call.type("sin_cache").shape == cache, "sin_cache has shape {}, but cos_cache {}",
          call.type("sin_cache").shape, cache);
  const std::int64_t heads = call.has("num_heads") ? call.integer("num_heads") : 0,
                     turned = call.has("rotary_embedding_dim") ? call.integer("rotary_embedding_dim") : 0;
  // "Must use with rotary_embedding_dim"
  require(turned == 0 || heads > 0, "attribute 'rotary_embedding_dim' is {}, but needs num_heads", turned);
  RotarySizes z{x[0], x[1], x[x.size() - 2], x[x.size() - 1], 0, x.size() == 3};
  if (z.is_flat) {
    z.steps = x[1];
    z.size = heads > 0                                                 ? x[2] / heads
             : call.reads("rotary_embedding.head_size", "hidden_size") ? x[2]
                                                                       : checked_multiply(2, cache[1]);
    require(z.size > 0 && x[2] % z.size == 0 && (heads == 0 || x[2] % heads == 0),
            "input has shape {}, whose last axis is no multiple of {} {}", x, heads > 0 ? "num_heads" : "a head's size",
            heads > 0 ? heads : z.size);
    z.heads = x[2] / z.size;
  } else {
    require(heads == 0 || heads == z.heads, "input has shape {}, but attribute 'num_heads' is {}", x, heads);
  }
  z.turned = turned_elements("input", z.size, turned);
  require(cache[1] == z.turned / 2, "cos_cache has shape {}, but its last axis must have {} elements", cache,
          z.turned / 2);
  return z;
}

std::vector<ValueType> output_types(const Call& call) {
  if (call.flag("is_packed_batching"))
    fail(Fault::unsupported, "attribute 'is_packed_batching' is 1, which opref does not know");
  const RotarySizes z = sizes(call);
  const Dims& p = call.type("position_ids").shape;
  require(p == Dims{1} || p == Dims{z.batch, z.steps}, "position_ids has shape {}, but must have [1] or {}", p,
          Dims{z.batch, z.steps});
  return {call.type("input")};
}

/// Of each token of each batch row the row of the caches: its own position, or that of the first one, from which on
/// they are counted.
std::vector<std::int64_t> rows(const Call& call, const RotarySizes& z) {
  if (call.type("position_ids").rank() == 2) return rotary_rows(call, "position_ids");
  const std::int64_t first = call.integer("position_ids");
  std::vector<std::int64_t> rows;
  for (std::int64_t token = 0, count = element_count({z.batch, z.steps}); token < count; ++token) {
    const std::int64_t s = token % z.steps;
    rows.push_back(checked_add(first, s));
    require_rotary_row(call, format("position_ids[0] + {}", s), rows.back());
  }
  return rows;
}

std::vector<Value> kernel(const Call& call, std::span<const Output> outs) {
  const RotarySizes z = sizes(call);
  const bool multiplies = call.has("scale") && call.reads("rotary_embedding.scale", "multiplies");
  return turned_heads(call, outs[0], "input", z, rows(call, z), multiplies ? call.number("scale") : 1);
}

void version_1(OpSchema& s) {
  s.input("input", "T").input("position_ids", "M").input("cos_cache", "T").input("sin_cache", "T");
  s.output("output", "T").types("T", {DType::bfloat16, DType::float16, DType::float32}).types("M", DType::int64);
  s.attribute(optional(INT, "interleaved", flag()))
      .attribute(optional(INT, "is_packed_batching", flag()))
      .attribute(optional(INT, "num_heads", at_least(0)))
      .attribute(optional(INT, "rotary_embedding_dim", at_least(0)));
  s.attribute(optional(FLOAT, "scale"));
}

bool has_scale(const Call& call) { return call.has("scale") && call.number("scale") != 1; }
}  // namespace
Operator rotary_embedding() {
  return Operator("com.microsoft", "RotaryEmbedding")
      .summary("pairs of elements turned by the angle of their token's position")
      .version(1, version_1)
      .reading({.name = "rotary_embedding.scale",
                .alternatives = {"none: scale has no effect", "multiplies: what is turned is multiplied by scale"},
                .defaults = {{1, "none"}},
                .reason = "\"Custom scale will be used if specified\" says not of what; onnxruntime ignores it",
                .may_change_values = has_scale})
      .reading({.name = "rotary_embedding.head_size",
                .alternatives = {"cache: without num_heads a head has twice the columns of cos_cache",
                                 "hidden_size: input of 3 axes is then one head"},
                .defaults = {{1, "cache"}},
                .reason = "onnxruntime; the page does not say how many heads 0 are"})
      .output_types(output_types)
      .kernel(kernel);
}
}  // namespace opref::ops::microsoft::file_rotary_embedding
