// SPDX-License-Identifier: Apache-2.0
// The equations of LSTM, over any layer that says what a gate is given in a step: RecurrentLayer, or one whose inputs
// and states are integers.
#pragma once

#include "ops/shared/recurrent.h"
namespace opref::ops {
// Of each step, (.) being element by element, gates in the order i, o, f, c and peepholes P in the order i, o, f:
//   it = f(Xt·Wi^T + Ht-1·Ri^T + Pi (.) Ct-1 + Wbi + Rbi)      ft likewise, or 1 - it with input_forget
//   ct = g(Xt·Wc^T + Ht-1·Rc^T + Wbc + Rbc)                    Ct = ft (.) Ct-1 + it (.) ct
//   ot = f(Xt·Wo^T + Ht-1·Ro^T + Po (.) Ct + Wbo + Rbo)        Ht = ot (.) h(Ct)
// in real numbers over all steps: outputs are rounded, states are not.
template <class Layer, bool is_traced>
struct LstmEquations {
  static constexpr bool kIsTraced = is_traced;
  LstmOf<Layer> of;
  std::int64_t program_of(size_t output, std::int64_t at) const { return of.layer.program_of(output, at); }
  std::int64_t steps(std::int64_t p) const { return of.layer.steps(p); }

  template <class V>
  void operator()(std::int64_t p, const VectorReader<V>& x, VectorWriter<V>& y) const {
    const Activation &f = of.layer.activation(p, 0), &g = of.layer.activation(p, 1), &h = of.layer.activation(p, 2);
    V H = of.layer.initial(x, of.initial_h, p), C = of.layer.initial(x, of.initial_c, p);
    States<V> states(x, H, C);
    Parts<V> last;  // of the last step
    for (std::int64_t step = 0; step < of.layer.steps(p); ++step) {
      const std::int64_t t = of.layer.time(p, step);
      const auto sum = [&](std::int64_t gate) {
        return of.layer.of_state(x, p, H, gate) + of.layer.of_input(x, p, t, gate);
      };
      const auto gate = [&](std::int64_t which, const V& cell) {
        return of.layer.clipped(of.P ? sum(which) + of.layer.of_gate(x, *of.P, p, 3, which) * cell : sum(which));
      };
      const V of_i = gate(0, C), i = f.of(of_i);
      const V forget = of.input_forget ? f.complement(of_i) : f.of(gate(2, C));
      const V c = g.of(of.layer.clipped(sum(3)));
      V next_C = evaluators::sum(forget * C, i * c);
      const V o = f.of(gate(1, next_C));
      V next_H = o * h.of(of.clips_cell ? of.layer.clipped(next_C) : next_C);
      last = {{"i", i}, {"f", forget}, {"c", c}, {"C", next_C}, {"o", o}};
      states.next(next_H, next_C);
      H = next_H, C = next_C;
      y.put(0, of.layer.y_at(p, t), H, last);
    }
    of.layer.pad(y, p, H);
    of.layer.put_state(x, y, 1, p, H, last);
    of.layer.put_state(x, y, 2, p, C, last);
  }
};
}  // namespace opref::ops
