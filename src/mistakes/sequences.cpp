// SPDX-License-Identifier: Apache-2.0
// Recurrent networks, attention, signals.

#include "core/nearly.h"
#include "evaluators/move.h"
#include "exact/rounding.h"
#include "mistakes/tools.h"

namespace opref::mistakes {
namespace {

// W, R and B as if their gates lay in another order: gate k is read from block order[k]. B may have several times as
// many blocks as there are gates, and one more, which stays.
Made gates_in_order(std::vector<std::int64_t> order) {
  return [order = std::move(order)](const Call& call) {
    const auto gates = std::ssize(order);
    const Dims& r = call.type("R").shape;
    const std::int64_t hidden = r[r.size() - 1];
    Call changed = call;
    for (const std::string_view name : {"W", "R", "B"}) {
      if (!call.has_value(name)) continue;
      const Dims& shape = call.type(name).shape;
      const size_t axis = shape.size() - (name == "B" ? 1 : 2);
      changed = with_moved(changed, name, [&](Dims at) {
        const std::int64_t block = at[axis] / hidden, first = block / gates * gates;
        if ((first + gates) * hidden <= shape[axis])
          at[axis] = (first + order[static_cast<size_t>(block - first)]) * hidden + at[axis] % hidden;
        return at;
      });
    }
    return std::optional(changed);
  };
}

std::optional<Call> without_recurrence_bias(const Call& call) {
  if (!call.has_value("B")) return std::nullopt;
  const Tensor& b = call.input("B");
  const std::int64_t half = b.shape()[1] / 2;
  return call.with_input(
      "B", tensor_of_bits(b.type(), [&](std::int64_t i) { return i % (2 * half) < half ? element_bits(b, i) : 0; }));
}

bool goes_backwards(const Call& call) { return call.string("direction") != "forward" && !call.flag("layout"); }
// Y is (time, directions, batch, hidden).
std::vector<Value> left_in_order_of_steps(const Call& call, std::span<const Output> outs) {
  std::vector<Value> values = computed_rightly(call, outs);
  if (!outs[0].wanted()) return values;
  const Tensor y = *values[0].tensor();
  values[0] = moved(y, [&](Dims at) {
    if (at[1] == y.shape()[1] - 1) at[0] = y.shape()[0] - 1 - at[0];
    return at;
  });
  return values;
}

// Query head h with key head h mod the number of these, not one key head for several neighbours.
std::optional<Call> heads_in_turn(const Call& call) {
  const Dims &q = call.type("Q").shape, &k = call.type("K").shape;
  if (q.size() != 4 || k[1] == q[1] || k[1] == 0) return std::nullopt;
  Call changed = call;
  for (const std::string_view name : {"K", "V"}) {
    TensorType type = call.type(name);
    type.shape[1] = q[1];
    changed = changed.with_input(name, read_as(type, call.input(name), [&](Dims at) {
                                   at[1] %= k[1];
                                   return at;
                                 }));
  }
  return changed;
}

// Query i sees key j <= i + (keys - queries).
std::optional<Call> causal_from_the_end(const Call& call) {
  const Dims &q = call.type("Q").shape, &k = call.type("K").shape;
  if (!call.flag("is_causal") || call.has("attn_mask") || q.size() != 4 || call.has("past_key")) return std::nullopt;
  const std::int64_t ahead = k[2] - q[2];
  const Tensor mask = tensor_of_bits({DType::boolean, Dims{q[2], k[2]}}, [&](std::int64_t at) {
    return static_cast<std::uint64_t>(at % k[2] <= at / k[2] + ahead);
  });
  return call.with_attribute("is_causal", AttributeValue::of(std::int64_t{0})).with_input("attn_mask", mask);
}

/// With a mask instead of is_causal: query i sees key j <= i + ahead.
template <std::int64_t ahead>
std::optional<Call> causal_moved(const Call& call) {
  const Dims &q = call.type("Q").shape, &k = call.type("K").shape;
  if (!call.flag("is_causal") || call.has("attn_mask") || call.has("past_key")) return std::nullopt;
  const std::int64_t queries = q[q.size() - 2], keys = k[k.size() - 2];
  const Tensor mask = tensor_of_bits({DType::boolean, Dims{queries, keys}}, [&](std::int64_t at) {
    return static_cast<std::uint64_t>(at % keys <= at / keys + ahead);
  });
  return call.with_attribute("is_causal", AttributeValue::of(std::int64_t{0})).with_input("attn_mask", mask);
}

std::optional<Call> scaled_without_root(const Call& call) {
  const Dims& q = call.type("Q").shape;
  const std::int64_t size = q.size() == 4 ? q[3] : q[2] / call.integer("q_num_heads");
  return call.with_attribute("scale", AttributeValue::of(1.0F / static_cast<float>(size)));
}

std::optional<Call> mask_inverted(const Call& call) {
  if (!call.has("attn_mask") || call.type("attn_mask").dtype != DType::boolean) return std::nullopt;
  return with_numbers(call, "attn_mask", [](double x) { return 1 - x; });
}

// ScaledDotProductAttention

std::optional<Call> not_scaled(const Call& call) {
  const DType dtype = call.type("query").dtype;
  return call.with_input("scale", evaluators::fill_of(1, dtype));
}
std::optional<Call> openvino_causal_from_the_end(const Call& call) {
  const Dims &q = call.type("query").shape, &k = call.type("key").shape;
  if (!call.flag("causal")) return std::nullopt;
  const std::int64_t queries = q[q.size() - 2], keys = k[k.size() - 2];
  const Tensor mask = tensor_of_bits({DType::boolean, Dims{queries, keys}}, [&](std::int64_t at) {
    return static_cast<std::uint64_t>(at % keys <= at / keys + keys - queries);
  });
  return call.with_attribute("causal", AttributeValue::of(std::int64_t{0})).with_input("attention_mask", mask);
}
std::optional<Call> openvino_mask_inverted(const Call& call) {
  if (!call.has("attention_mask") || call.type("attention_mask").dtype != DType::boolean) return std::nullopt;
  return with_numbers(call, "attention_mask", [](double x) { return 1 - x; });
}

// DFT, IDFT, IRDFT

// The output has as many elements along the axes as the transform has points.
std::vector<Value> not_divided_by_sizes(const Call& call, std::span<const Output> outs) {
  const Dims& y = outs[0].type().shape;
  const auto rank = static_cast<std::int64_t>(call.type("data").rank()) - 1;
  double points = 1;
  for (const std::int64_t axis : call.integers("axes"))
    points *= nearly(y[static_cast<size_t>(axis < 0 ? axis + rank : axis)]);
  return with_first(computed_rightly(call, outs), [points](double x) { return x * points; });
}
bool always(const Call&) { return true; }

bool is_inverse(const Call& call) { return call.flag("inverse"); }
// The output has as many bins as the transform is long.
std::vector<Value> not_divided(const Call& call, std::span<const Output> outs) {
  const Dims& y = outs[0].type().shape;
  const double N = nearly(y[call.has("axis") ? call.axis("axis", y.size()) : y.size() - 2]);
  return with_first(computed_rightly(call, outs), [N](double x) { return x * N; });
}

}  // namespace

const Table& sequences() {
  static const std::vector<std::string_view> recurrent{"GRU", "LSTM", "RNN"};
  static const Table table{
      {{"GRU"}, "gates in the order r, z, h", gates_in_order({1, 0, 2})},
      {{"GRU"}, "linear_before_reset", taken_as("linear_before_reset", 1)},
      {{"LSTM"}, "gates in the order i, f, c, o", gates_in_order({0, 3, 1, 2})},
      {{"LSTM"}, "gates in the order i, c, f, o", gates_in_order({0, 3, 2, 1})},
      {{"LSTM"}, "gates in the order f, i, o, c", gates_in_order({1, 2, 0, 3})},
      {{"openvino.LSTMCell", "openvino.LSTMSequence"},
       "gates in the order of ai.onnx: i, o, f, c",
       gates_in_order({2, 0, 3, 1})},
      {{"openvino.GRUCell", "openvino.GRUSequence"}, "gates in the order r, z, h", gates_in_order({1, 0, 2})},
      {recurrent, "the bias of R left out", without_recurrence_bias},
      {recurrent, "the reverse direction's Y in the order of its steps",
       computed_by(goes_backwards, left_in_order_of_steps)},
      {{"Attention"}, "not scaled", taken_as("scale", 1.0F)},
      {{"Attention"}, "scaled by 1/d, not by its root", scaled_without_root},
      {{"Attention"}, "a key head for each query head in turn", heads_in_turn},
      {{"Attention"}, "the causal mask aligned at the last key", causal_from_the_end},
      {{"Attention"}, "the causal mask lets one key more", causal_moved<1>},
      {{"Attention"}, "the causal mask lets one key less", causal_moved<-1>},
      {{"Attention"}, "the mask inverted", mask_inverted},
      {{"openvino.ScaledDotProductAttention"}, "not scaled", not_scaled},
      {{"openvino.ScaledDotProductAttention"}, "the causal mask aligned at the last key", openvino_causal_from_the_end},
      {{"openvino.ScaledDotProductAttention"}, "the mask inverted", openvino_mask_inverted},
      {{"RotaryEmbedding"}, "pairs interleaved", taken_as("interleaved", 1)},
      {{"DFT"}, "the inverse not divided by its length", computed_by(is_inverse, not_divided)},
      {{"openvino.IDFT", "openvino.IRDFT"},
       "the inverse not divided by its length",
       computed_by(always, not_divided_by_sizes)},
      {{"BlackmanWindow", "HammingWindow", "HannWindow"}, "not periodic", taken_as("periodic", 0)},
  };
  return table;
}

}  // namespace opref::mistakes
