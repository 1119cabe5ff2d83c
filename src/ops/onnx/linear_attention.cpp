// SPDX-License-Identifier: Apache-2.0
// ai.onnx LinearAttention, version 27
// https://onnx.ai/onnx/operators/onnx__LinearAttention.html
#include "evaluators/outer_states.h"
#include "ops/operator_file.h"
#include "ops/shared/attention.h"
namespace opref::ops::onnx::file_linear_attention {
namespace {
enum class Rule : std::uint8_t { linear, gated, delta, gated_delta };
bool is_gated(Rule rule) { return rule == Rule::gated || rule == Rule::gated_delta; }
bool is_delta(Rule rule) { return rule == Rule::delta || rule == Rule::gated_delta; }

// query, key and value have their heads side by side; a state serves the heads/kv_heads heads of query that share a
// head of key.
struct Sizes {
  std::int64_t batch, steps, heads, kv_heads, size, value_size;

  std::int64_t shared() const { return heads / kv_heads; }
  Dims state() const { return {batch, kv_heads, size, value_size}; }
};

std::int64_t size_of_head(const Call& call, std::string_view input, std::string_view heads) {
  const Dims& x = call.type(input).shape;
  require(x.size() == 3, "{} has shape {}, but must have 3 axes", input, x);
  require(x[2] % call.integer(heads) == 0, "{} has shape {}, whose last axis is no multiple of {} {}", input, x, heads,
          call.integer(heads));
  return x[2] / call.integer(heads);
}

Sizes sizes(const Call& call) {
  Sizes z{};
  z.heads = call.integer("q_num_heads"), z.kv_heads = call.integer("kv_num_heads");
  require(z.heads % z.kv_heads == 0, "attribute 'q_num_heads' is {}, which is no multiple of kv_num_heads {}", z.heads,
          z.kv_heads);
  z.size = size_of_head(call, "query", "q_num_heads");
  z.value_size = size_of_head(call, "value", "kv_num_heads");
  z.batch = call.type("query").shape[0], z.steps = call.type("query").shape[1];
  const auto check = [&](std::string_view input, const Dims& expected) {
    require(call.type(input).shape == expected, "{} has shape {}, but must have {}", input, call.type(input).shape,
            expected);
  };
  check("key", {z.batch, z.steps, z.kv_heads * z.size});
  check("value", {z.batch, z.steps, z.kv_heads * z.value_size});
  if (call.has("past_state")) check("past_state", z.state());
  return z;
}

/// An input that some rules need and the others do not have: one row per token, of one of two widths.
void check_gate(const Call& call, std::string_view input, bool is_needed, const Sizes& z, std::int64_t width,
                std::int64_t other) {
  const std::string& rule = call.string("update_rule");
  require(call.has(input) == is_needed, "{} is {}, but update_rule '{}' {}", input, is_needed ? "missing" : "given",
          rule, is_needed ? "needs it" : "has none");
  if (!is_needed) return;
  const Dims &x = call.type(input).shape, of_width{z.batch, z.steps, width}, of_other{z.batch, z.steps, other};
  require(x == of_width || x == of_other, "{} has shape {}, but must have {} or {}", input, x, of_width, of_other);
}

std::vector<ValueType> output_types(const Call& call) {
  const Sizes z = sizes(call);
  const auto rule = call.choice<Rule>("update_rule");
  check_gate(call, "decay", is_gated(rule), z, z.kv_heads, z.kv_heads * z.size);
  check_gate(call, "beta", is_delta(rule), z, z.kv_heads, 1);
  const DType t = call.type("query").dtype;
  const DType state = call.has("past_state")                               ? call.type("past_state").dtype
                      : call.reads("linear_attention.state_type", "query") ? t
                                                                           : DType::float32;
  return {TensorType{t, {z.batch, z.steps, checked_multiply(z.heads, z.value_size)}}, TensorType{state, z.state()}};
}

// Of each step, (x) being the outer product, g the decay and b the beta of its token:
//   linear       S = S + k (x) v
//   gated        S = exp(g)·S + k (x) v
//   delta        S = S + b·k (x) (v - S^T·k)
//   gated_delta  S = exp(g)·S + b·k (x) (v - exp(g)·S^T·k)
// output = scale·q^T·S, with the new S: in real numbers over all steps. A program is a state.
struct Attend {
  const Call& call;
  Sizes z = sizes(call);
  Elements query{call.input("query")}, key{call.input("key")}, value{call.input("value")};
  std::optional<Elements> past_state = elements_if_given(call, "past_state");
  std::optional<Elements> decay = elements_if_given(call, "decay"), beta = elements_if_given(call, "beta");
  std::optional<double> scale = call.number("scale") == 0 ? std::nullopt : std::optional(call.number("scale"));
  bool decays_per_head = decay && call.type("decay").shape[2] == z.kv_heads;
  std::int64_t betas = beta ? call.type("beta").shape[2] : 1;

  static constexpr bool kIsTraced = false;
  std::int64_t program_of(size_t output, std::int64_t at) const {
    if (output == 1) return at / (z.size * z.value_size);
    const std::int64_t h = at / z.value_size % z.heads, b = at / (z.value_size * z.heads * z.steps);
    return b * z.kv_heads + h / z.shared();
  }

  std::int64_t steps(std::int64_t) const { return z.steps; }

  template <class V>
  void operator()(std::int64_t p, const VectorReader<V>& x, VectorWriter<V>& y) const {
    using R = typename V::Number;
    const std::int64_t b = p / z.kv_heads, g = p % z.kv_heads, from = p * z.size * z.value_size;
    const R factor = attention_scale<R>(scale, z.size);
    OuterState<V> S(x, past_state, from, static_cast<size_t>(z.size), static_cast<size_t>(z.value_size));
    for (std::int64_t t = 0; t < z.steps; ++t) {
      const std::int64_t token = b * z.steps + t, head = token * z.kv_heads + g;
      const Stretch k{key, head * z.size}, v{value, head * z.value_size};
      if (decay) S.fade({*decay, decays_per_head ? head : head * z.size}, decays_per_head);
      if (beta)
        S.learn(k, v, {*beta, betas == 1 ? token : head});
      else
        S.add(k, v);
      for (std::int64_t h = token * z.heads + g * z.shared(); h < token * z.heads + (g + 1) * z.shared(); ++h)
        y.put(0, h * z.value_size,
              map([&](const R& of_query) { return factor * of_query; }, S.times({query, h * z.size})));
    }
    for (std::int64_t i = 0; i < z.size; ++i) y.put(1, from + i * z.value_size, S.row(static_cast<size_t>(i)));
  }
};

std::vector<Value> kernel(const Call& call, std::span<const Output> outs) {
  const Attend attend{call};
  return recurrences(outs, element_count({attend.z.batch, attend.z.kv_heads}), attend);
}

void version_27(OpSchema& s) {
  s.input("query", "T").input("key", "T").input("value", "T").input("past_state", "S", Arity::optional);
  s.input("decay", "T", Arity::optional, "logarithms: 0 keeps the state, -Inf forgets it");
  s.input("beta", "T", Arity::optional, "how much of its value the state of a key is moved by");
  s.output("output", "T").output("present_state", "S");
  s.types("T", {DType::float32, DType::float16, DType::bfloat16})
      .types("S", {DType::float32, DType::float16, DType::bfloat16});
  s.attribute(with_default("chunk_size", 64))
      .attribute(required(INT, "kv_num_heads", at_least(1)))
      .attribute(required(INT, "q_num_heads", at_least(1)))
      .attribute(with_default("scale", 0.0F))
      .attribute(with_default("update_rule", "gated_delta", one_of({"linear", "gated", "delta", "gated_delta"})));
}
}  // namespace
Operator linear_attention() {
  return Operator("ai.onnx", "LinearAttention")
      .summary("queries of a state that each token's key and value update, per head")
      .version(27, version_27)
      .reading({.name = "linear_attention.state_type",
                .alternatives = {"query: without past_state, present_state has the type of query",
                                 "float32: without past_state, present_state is of float32"},
                .defaults = {{27, "query"}},
                .reason = "ONNX's inference; the page says nothing"})
      .output_types(output_types)
      .kernel(kernel);
}
}  // namespace opref::ops::onnx::file_linear_attention
