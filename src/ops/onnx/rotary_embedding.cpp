// SPDX-License-Identifier: Apache-2.0
// ai.onnx RotaryEmbedding, version 23
// https://onnx.ai/onnx/operators/onnx__RotaryEmbedding.html
#include "ops/operator_file.h"
#include "ops/shared/rotary.h"
namespace opref::ops::onnx::file_rotary_embedding {
namespace {
RotarySizes sizes(const Call& call) {
  const Dims& x = call.type("X").shape;
  require(x.size() == 3 || x.size() == 4, "X has shape {}, but must have 3 or 4 axes", x);
  RotarySizes z{x[0], x[1], x[x.size() - 2], x[x.size() - 1], 0, x.size() == 3};
  if (z.is_flat) {
    z.steps = x[1], z.heads = call.has("num_heads") ? call.integer("num_heads") : 0;
    require(z.heads > 0, "attribute 'num_heads' is {}, but X of 3 axes needs it",
            call.has("num_heads") ? "0" : "missing");
    require(x[2] % z.heads == 0, "X has shape {}, whose last axis is no multiple of num_heads {}", x, z.heads);
    z.size = x[2] / z.heads;
  }
  z.turned = turned_elements("X", z.size, call.integer("rotary_embedding_dim"));
  return z;
}

void check_cache(const Call& call, std::string_view name, const RotarySizes& z) {
  const Dims& cache = call.type(name).shape;
  if (!call.has("position_ids")) {
    const Dims expected{z.batch, z.steps, z.turned / 2};
    require(cache == expected, "{} has shape {}, but must have {} without position_ids", name, cache, expected);
    return;
  }
  require(cache.size() == 2, "{} has shape {}, but must have 2 axes with position_ids", name, cache);
  require(cache[1] == z.turned / 2, "{} has shape {}, but its last axis must have {} elements", name, cache,
          z.turned / 2);
}

std::vector<ValueType> output_types(const Call& call) {
  const RotarySizes z = sizes(call);
  check_cache(call, "cos_cache", z);
  check_cache(call, "sin_cache", z);
  if (call.has("position_ids"))
    require(call.type("position_ids").shape == Dims{z.batch, z.steps}, "position_ids has shape {}, but must have {}",
            call.type("position_ids").shape, Dims{z.batch, z.steps});
  return {call.type("X")};
}

std::vector<Value> kernel(const Call& call, std::span<const Output> outs) {
  std::vector<std::int64_t> rows;
  if (call.has("position_ids")) rows = rotary_rows(call, "position_ids");
  return turned_heads(call, outs[0], "X", sizes(call), std::move(rows));
}

void version_23(OpSchema& s) {
  s.input("X", "T").input("cos_cache", "T").input("sin_cache", "T").input("position_ids", "M", Arity::optional);
  s.types("M", DType::int64);
  s.output("Y", "T");
  s.types("T", {DType::float32, DType::float16, DType::bfloat16});
  s.attribute(with_default("interleaved", 0, flag()))
      .attribute(optional(INT, "num_heads", at_least(0)))
      .attribute(with_default("rotary_embedding_dim", 0, at_least(0)));
}
}  // namespace
Operator rotary_embedding() {
  return Operator("ai.onnx", "RotaryEmbedding")
      .summary("pairs of elements turned by the angle of their token's position")
      .version(23, version_23)
      .output_types(output_types)
      .kernel(kernel);
}
}  // namespace opref::ops::onnx::file_rotary_embedding
