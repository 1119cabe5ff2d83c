// SPDX-License-Identifier: Apache-2.0
// ai.onnx RotaryEmbedding, version 23
// https://onnx.ai/onnx/operators/onnx__RotaryEmbedding.html
#include "fast/fast.h"
#include "ops/operator_file.h"
namespace opref::ops::onnx {
namespace {
// X is (batch, heads, steps, size), or (batch, steps, heads·size); of each head the first `turned` elements are turned.
struct Sizes {
  std::int64_t batch, heads, steps, size, turned;
  bool is_flat;  // 3 axes
};

Sizes sizes(const Call& call) {
  const Dims& x = call.type("X").shape;
  require(x.size() == 3 || x.size() == 4, "X has shape {}, but must have 3 or 4 axes", x);
  Sizes z{x[0], x[1], x[x.size() - 2], x[x.size() - 1], call.integer("rotary_embedding_dim"), x.size() == 3};
  if (z.is_flat) {
    z.steps = x[1], z.heads = call.has("num_heads") ? call.integer("num_heads") : 0;
    require(z.heads > 0, "attribute 'num_heads' is {}, but X of 3 axes needs it",
            call.has("num_heads") ? "0" : "missing");
    require(x[2] % z.heads == 0, "X has shape {}, whose last axis is no multiple of num_heads {}", x, z.heads);
    z.size = x[2] / z.heads;
  }
  require(z.turned <= z.size, "attribute 'rotary_embedding_dim' is {}, but a head of X has {} elements", z.turned,
          z.size);
  if (z.turned == 0) z.turned = z.size;
  require(z.turned % 2 == 0, "{} elements of each head are to be turned, but must be an even number", z.turned);
  return z;
}

void check_cache(const Call& call, std::string_view name, const Sizes& z) {
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
  const Sizes z = sizes(call);
  check_cache(call, "cos_cache", z);
  check_cache(call, "sin_cache", z);
  if (call.has("position_ids"))
    require(call.type("position_ids").shape == Dims{z.batch, z.steps}, "position_ids has shape {}, but must have {}",
            call.type("position_ids").shape, Dims{z.batch, z.steps});
  return {call.type("X")};
}

/// Of each token of each batch row the row of the caches; nothing where it is the token's own.
std::vector<std::int64_t> positions(const Call& call) {
  if (!call.has("position_ids")) return {};
  const std::vector<std::int64_t> p = call.integers("position_ids");
  const std::int64_t rows = std::min(call.type("cos_cache").shape[0], call.type("sin_cache").shape[0]);
  for (size_t token = 0; token < p.size(); ++token)
    require(p[token] >= 0 && p[token] < rows, "position_ids{} is {}, but the caches have {} rows",
            coordinates(static_cast<std::int64_t>(token), call.type("position_ids").shape), p[token], rows);
  return p;
}

// real = cos·x1 - sin·x2,  imag = sin·x1 + cos·x2
// of the pairs x1, x2: neighbours if interleaved, else from both halves.
struct Turn {
  explicit Turn(const Call& call)
      : z(sizes(call)),
        X(call.input("X")),
        cos(call.input("cos_cache")),
        sin(call.input("sin_cache")),
        position(positions(call)),
        interleaved(call.flag("interleaved")) {}
  Sizes z;
  Elements X, cos, sin;
  std::vector<std::int64_t> position;
  bool interleaved;

  bool keeps(std::int64_t at) const { return at % z.size >= z.turned; }
  /// Of a head of a token, the row of the caches.
  std::int64_t row_of(std::int64_t head) const {
    const std::int64_t token = z.is_flat ? head / z.heads : head / (z.heads * z.steps) * z.steps + head % z.steps;
    return position.empty() ? token : position[static_cast<size_t>(token)];
  }

  template <class R>
  R operator()(std::int64_t at, const Reader<R>& x) const {
    if (keeps(at)) return x(X, at);
    const std::int64_t i = at % z.size, half = z.turned / 2;
    const std::int64_t pair = interleaved ? i / 2 : i % half, apart = interleaved ? 1 : half;
    const bool is_real = interleaved ? i % 2 == 0 : i < half;
    const std::int64_t place = row_of(at / z.size) * half + pair, first = is_real ? at : at - apart;
    const R x1 = x(X, first), x2 = x(X, first + apart);
    return is_real ? x(cos, place) * x1 - x(sin, place) * x2 : x(sin, place) * x1 + x(cos, place) * x2;
  }
};

std::vector<Value> kernel(const Call& call, std::span<const Output> outs) {
  const Turn turn(call);
  const Output& out = outs[0];
  const Tensor& x = call.input("X");
  const auto rest = [&](std::int64_t at) { return turn.z.size - at % turn.z.size; };
  if (out.only() && turn.keeps(*out.only())) return {move(out, x, [&](std::int64_t at) { return Run{at, rest(at)}; })};
  const auto rows = [&](RowTarget& y) {
    return fast::rotation(y, {x, call.input("cos_cache"), call.input("sin_cache"), turn.z.size, turn.z.turned,
                              turn.interleaved, [&](std::int64_t head) { return turn.row_of(head); }});
  };
  Tensor turned = real(out, turn, {}, rows);
  if (turn.z.turned == turn.z.size || !out.wanted()) return {std::move(turned)};
  return {move(out.inner(out.type()), std::array{turned, x}, [&](std::int64_t at) {
    return turn.keeps(at) ? Run{at, rest(at), 1, 1} : Run{at, turn.z.turned - at % turn.z.size};
  })};
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
}  // namespace opref::ops::onnx
