// SPDX-License-Identifier: Apache-2.0
// ai.onnx LSTM, versions 1, 7, 14, 22
// https://onnx.ai/onnx/operators/onnx__LSTM.html
#include "ops/operator_file.h"
#include "ops/shared/recurrent.h"
namespace opref::ops::onnx {
namespace {
constexpr std::string_view kNames[] = {"Sigmoid", "Tanh", "Tanh"};

// Of each step, (.) being element by element, gates in the order i, o, f, c and peepholes P in the order i, o, f:
//   it = f(Xt·Wi^T + Ht-1·Ri^T + Pi (.) Ct-1 + Wbi + Rbi)      ft likewise, or 1 - it with input_forget
//   ct = g(Xt·Wc^T + Ht-1·Rc^T + Wbc + Rbc)                    Ct = ft (.) Ct-1 + it (.) ct
//   ot = f(Xt·Wo^T + Ht-1·Ro^T + Po (.) Ct + Wbo + Rbo)        Ht = ot (.) h(Ct)
// in real numbers over all steps: outputs are rounded, states are not.
struct Lstm : LstmLayer {
  static constexpr bool kIsTraced = true;
  std::int64_t program_of(size_t output, std::int64_t at) const { return layer.program_of(output, at); }
  std::int64_t steps(std::int64_t p) const { return layer.steps(p); }

  template <class V>
  void operator()(std::int64_t p, const VectorReader<V>& x, VectorWriter<V>& y) const {
    const Activation &f = layer.activation(p, 0), &g = layer.activation(p, 1), &h = layer.activation(p, 2);
    V H = layer.initial(x, initial_h, p), C = layer.initial(x, initial_c, p);
    States<V> states(x, H, C);
    Parts<V> last;  // of the last step
    for (std::int64_t step = 0; step < layer.steps(p); ++step) {
      const std::int64_t t = layer.time(p, step);
      const auto sum = [&](std::int64_t gate) { return layer.of_state(x, p, H, gate) + layer.of_input(x, p, t, gate); };
      const auto gate = [&](std::int64_t which, const V& cell) {
        return layer.clipped(P ? sum(which) + layer.of_gate(x, *P, p, 3, which) * cell : sum(which));
      };
      const V of_i = gate(0, C), i = f.of(of_i);
      const V forget = input_forget ? f.complement(of_i) : f.of(gate(2, C));
      const V c = g.of(layer.clipped(sum(3)));
      V next_C = evaluators::sum(forget * C, i * c);
      const V o = f.of(gate(1, next_C));
      V next_H = o * h.of(clips_cell ? layer.clipped(next_C) : next_C);
      last = {{"i", i}, {"f", forget}, {"c", c}, {"C", next_C}, {"o", o}};
      states.next(next_H, next_C);
      H = next_H, C = next_C;
      y.put(0, layer.y_at(p, t), H, last);
    }
    layer.pad(y, p, H);
    layer.put_state(x, y, 1, p, H, last);
    layer.put_state(x, y, 2, p, C, last);
  }
};

}  // namespace
std::vector<Value> lstm_by(std::span<const Output> outs, const LstmLayer& of) {
  const Lstm lstm{of};
  return recurrences(outs, lstm.layer.programs(), lstm);
}
namespace {
std::vector<ValueType> output_types(const Call& call) { return recurrent_types(call, 4, kNames, 2); }

std::vector<Value> kernel(const Call& call, std::span<const Output> outs) {
  return lstm_by(outs, {.layer = RecurrentLayer(recurrent_node(call, 4, kNames)),
                        .initial_h = elements_if_given(call, "initial_h"),
                        .initial_c = elements_if_given(call, "initial_c"),
                        .P = elements_if_given(call, "P"),
                        .input_forget = call.flag("input_forget"),
                        .clips_cell = call.reads("lstm.clip_cell", "clipped")});
}

void version_1(OpSchema& s) {
  recurrent_version_1(s);
  s.input("initial_c", "T", Arity::optional).input("P", "T", Arity::optional).output("Y_c", "T", Arity::optional);
  s.attribute(optional(STRINGS, "activations"))
      .attribute(with_default("input_forget", 0))
      .attribute(with_default("output_sequence", 0));
}
}  // namespace
Operator lstm() {
  return recurrent_operator(Operator("ai.onnx", "LSTM").version(1, version_1).reading(clip_cell_reading(1)))
      .summary("a recurrent layer of cells with an input, an output and a forget gate")
      .output_types(output_types)
      .kernel(kernel);
}
}  // namespace opref::ops::onnx
