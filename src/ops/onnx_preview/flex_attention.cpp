// SPDX-License-Identifier: Apache-2.0
// ai.onnx.preview FlexAttention, version 1
// https://onnx.ai/onnx/operators/onnx_aionnxpreview_FlexAttention.html
#include "ops/operator_file.h"
#include "ops/shared/attention.h"
#include "ops/shared/control_flow.h"
namespace opref::ops::onnx_preview::file_flex_attention {
namespace {
// Q is (batch, heads, queries, size), K (batch, kv_heads, keys, size), V (batch, kv_heads, keys, value_size).
struct Sizes {
  std::int64_t batch, heads, kv_heads, queries, keys, size, value_size;

  std::int64_t rows() const { return element_count({batch, heads, queries}); }
  Dims scores() const { return {batch, heads, queries, keys}; }
  /// The first key of the head that the row of a query is served by.
  std::int64_t first_key(std::int64_t row) const {
    const std::int64_t b = row / (heads * queries), h = row / queries % heads;
    return (b * kv_heads + h / (heads / kv_heads)) * keys;
  }
};

Sizes sizes(const Call& call) {
  const Dims &q = call.type("Q").shape, &k = call.type("K").shape, &v = call.type("V").shape;
  for (const std::string_view name : {"Q", "K", "V"})
    require(call.type(name).rank() == 4, "{} has shape {}, but must have 4 axes", name, call.type(name).shape);
  require(k == Dims{q[0], k[1], k[2], q[3]}, "K has shape {}, but must have {}", k, Dims{q[0], k[1], k[2], q[3]});
  require(v == Dims{q[0], k[1], k[2], v[3]}, "V has shape {}, but must have {}", v, Dims{q[0], k[1], k[2], v[3]});
  require(k[1] > 0 && q[1] % k[1] == 0, "Q has {} heads, which is no multiple of the {} of K", q[1], k[1]);
  return {q[0], q[1], k[1], q[2], k[2], q[3], v[3]};
}

/// Of what the subgraphs take and give: "float32 for non-double inputs, otherwise double".
TensorType scores_type(const Call& call) {
  const DType q = call.type("Q").dtype;
  const DType usual = q == DType::float64 ? q : DType::float32;
  return {
      call.has("softmax_precision") ? dtype_of_number(call, "softmax_precision", call.schema().types_of("T1")) : usual,
      sizes(call).scores()};
}

void require_same(std::string_view graph, const ValueType& given, const ValueType& type) {
  require(given == type, "{} gives {}, but must give {}", graph, given, type);
}

std::vector<ValueType> output_types(const Call& call) {
  const Sizes z = sizes(call);
  const ValueType type = scores_type(call);
  for (const std::string_view name : {"score_mod", "prob_mod"}) {
    if (!call.has(name)) continue;
    require_graph(call, name, 1, 1);
    const auto given = types_without_values(call, name, std::array{type});
    if (given && (*given)[0].has_shape) require_same(name, (*given)[0], type);
  }
  return {TensorType{call.type("Q").dtype, {z.batch, z.heads, z.queries, z.value_size}}};
}

// Scores = scale·Q·K^T, a query's row at a time
struct Scores {
  explicit Scores(const Call& call)
      : z(sizes(call)), Q(call.input("Q")), K(call.input("K")), scale(stated_scale(call)) {}
  Sizes z;
  Elements Q, K;
  std::optional<double> scale;

  template <class R>
  R operator()(std::int64_t at, const Reader<R>& x) const {
    const std::int64_t row = at / z.keys, key = z.first_key(row) + at % z.keys;
    return attention_scale<R>(scale, z.size) * x.dot(Q, row * z.size, K, key * z.size, z.size);
  }
};

// Probs = Softmax(Scores),  Y = Probs·V
struct Attend {
  explicit Attend(const Call& call) : z(sizes(call)), scores(call), V(call.input("V")) {}
  Sizes z;
  Scores scores;
  Elements V;
  std::optional<Elements> given_scores, given_probs;
  bool gives_probs = false;

  std::int64_t program_of(size_t, std::int64_t at) const { return at / (gives_probs ? z.keys : z.value_size); }

  template <class R>
  void operator()(std::int64_t row, const Reader<R>& x, Writer<R>& y) const {
    AttentionWeights<R> p{{}, R(1.0)};
    if (given_probs)
      p.powers = given(row, *given_probs, x);
    else
      p = attention_weights(x, AttentionScores<R>{scores_of(row, x)});
    for (std::int64_t j = 0; gives_probs && j < z.keys; ++j)
      y.put(0, row * z.keys + j, [&] { return p.powers[static_cast<size_t>(j)] / p.sum; });
    for (std::int64_t d = 0; !gives_probs && d < z.value_size; ++d)
      y.put(0, row * z.value_size + d, [&] {
        return attention_mean(
            x, p, [&](std::int64_t j) { return x(V, (z.first_key(row) + j) * z.value_size + d); },
            [](std::int64_t) { return false; });
      });
  }

 private:
  template <class R>
  std::vector<R> given(std::int64_t row, const Elements& of, const Reader<R>& x) const {
    std::vector<R> numbers;
    for (std::int64_t j = 0; j < z.keys; ++j) numbers.push_back(x(of, row * z.keys + j));
    return numbers;
  }
  template <class R>
  std::vector<R> scores_of(std::int64_t row, const Reader<R>& x) const {
    if (given_scores) return given(row, *given_scores, x);
    std::vector<R> numbers;
    for (std::int64_t j = 0; j < z.keys; ++j) numbers.push_back(scores(row * z.keys + j, x));
    return numbers;
  }
};

/// Of what a graph made: of that kernels have other numbers.
struct AttendToGiven : Attend {
  static constexpr bool has_bound = false;
};

/// What the subgraph makes of the scores or probabilities.
Tensor modified(const Call& call, std::string_view graph, const Tensor& x) {
  const Tensor y = tensors_of(call.graph_values(graph, std::array{Value(x)}))[0];
  require_same(graph, y.type(), x.type());
  return y;
}

// Scores = score_mod(Scores) and Probs = prob_mod(Probs) are values of a graph: what goes into them is rounded.
std::vector<Value> kernel(const Call& call, std::span<const Output> outs) {
  const Output step = outs[0].inner(scores_type(call));
  Attend attend(call);
  if (ask_for_nothing(outs)) return nothing(outs);
  std::optional<Tensor> scores, probs;
  if (call.has("score_mod")) {
    scores = modified(call, "score_mod", real(step, attend.scores));
    attend.given_scores = Elements(*scores);
  }
  if (call.has("prob_mod")) {
    attend.gives_probs = true;
    probs = modified(call, "prob_mod", *programs(std::span(&step, 1), attend.z.rows(), attend)[0].tensor());
    attend.gives_probs = false;
    attend.given_probs = Elements(*probs);
  }
  if (scores || probs) return programs(outs, attend.z.rows(), AttendToGiven{attend});
  return programs(outs, attend.z.rows(), attend);
}

void version_1(OpSchema& s) {
  s.input("Q", "T1").input("K", "T1").input("V", "T1").output("Y", "T1");
  s.types("T1", types::floats | DType::bfloat16);
  s.attribute(optional(GRAPH, "prob_mod"))
      .attribute(optional(FLOAT, "scale"))
      .attribute(optional(GRAPH, "score_mod"))
      .attribute(optional(INT, "softmax_precision", element_types()));
}
}  // namespace
Operator flex_attention() {
  return Operator("ai.onnx.preview", "FlexAttention")
      .summary("attention whose scores and probabilities subgraphs may change")
      .category("support level EXPERIMENTAL")
      .version(1, version_1)
      .output_types(output_types)
      .kernel(kernel);
}
}  // namespace opref::ops::onnx_preview::file_flex_attention
