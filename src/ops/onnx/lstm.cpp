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
struct Lstm {
  explicit Lstm(const Call& call)
      : layer(call, 4, kNames),
        initial_h(elements_if_given(call, "initial_h")),
        initial_c(elements_if_given(call, "initial_c")),
        P(elements_if_given(call, "P")),
        input_forget(call.flag("input_forget")),
        clips_cell(call.reads("lstm.clip_cell", "clipped")) {}
  RecurrentLayer layer;
  std::optional<Elements> initial_h, initial_c, P;
  bool input_forget, clips_cell;

  std::int64_t program_of(size_t output, std::int64_t at) const { return layer.program_of(output, at); }

  template <class R>
  void operator()(std::int64_t p, const Reader<R>& x, Writer<R>& y) const {
    const Activation &f = layer.activation(p, 0), &g = layer.activation(p, 1), &h = layer.activation(p, 2);
    std::vector<R> H = layer.initial(x, initial_h, p), C = layer.initial(x, initial_c, p);
    std::vector<std::array<R, 5>> gates;  // of the last step
    const auto tell = [&](size_t k) {
      const auto& [i, forget, c, o, cell] = gates[k];
      x.named("i", i), x.named("f", forget), x.named("c", c), x.named("C", cell), x.named("o", o);
    };
    for (std::int64_t step = 0; step < layer.steps(p); ++step) {
      const std::int64_t t = layer.time(p, step);
      const auto sum = [&](std::int64_t gate, std::int64_t k) {
        return layer.of_input(x, p, t, gate, k) + layer.of_state(x, p, H, gate, k);
      };
      const auto gate = [&](std::int64_t which, std::int64_t k, const R& cell) {
        const R s = sum(which, k);
        return layer.clipped(P ? s + x(*P, layer.row(p, 3, which, k)) * cell : s);
      };
      std::vector<R> next_H, next_C;
      gates.clear();
      for (size_t k = 0; k < H.size(); ++k) {
        const auto unit = static_cast<std::int64_t>(k);
        const R of_i = gate(0, unit, C[k]), i = f.of(of_i);
        const R forget = input_forget ? f.complement(of_i) : f.of(gate(2, unit, C[k]));
        const R c = g.of(layer.clipped(sum(3, unit)));
        next_C.push_back(x.sum(forget * C[k], i * c));
        const R o = f.of(gate(1, unit, next_C[k]));
        next_H.push_back(o * h.of(clips_cell ? layer.clipped(next_C[k]) : next_C[k]));
        gates.push_back({i, forget, c, o, next_C[k]});
        y.put(0, layer.y_at(p, t, unit), [&] {
          tell(k);
          return next_H[k];
        });
      }
      H = std::move(next_H), C = std::move(next_C);
    }
    layer.pad(y, p, H);
    layer.put_state(y, 1, p, H, tell);
    layer.put_state(y, 2, p, C, tell);
  }
};

std::vector<ValueType> output_types(const Call& call) { return recurrent_types(call, 4, kNames, 2); }

std::vector<Value> kernel(const Call& call, std::span<const Output> outs) {
  const Lstm lstm(call);
  return programs(outs, lstm.layer.programs(), lstm);
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
  return recurrent_operator(
             Operator("ai.onnx", "LSTM")
                 .version(1, version_1)
                 .reading({.name = "lstm.clip_cell",
                           .alternatives = {"clipped: h sees Ct within ±clip", "gates_only: h sees Ct itself"},
                           .defaults = {{1, "clipped"}},
                           .reason =
                               "clip \"is applied to the input of activations\", and Ct is that of h; onnxruntime "
                               "clips the gates' alone",
                           .may_change_values = [](const Call& call) { return call.has("clip"); }}))
      .summary("a recurrent layer of cells with an input, an output and a forget gate")
      .output_types(output_types)
      .kernel(kernel);
}
}  // namespace opref::ops::onnx
