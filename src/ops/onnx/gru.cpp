// SPDX-License-Identifier: Apache-2.0
// ai.onnx GRU, versions 1, 3, 7, 14, 22
// https://onnx.ai/onnx/operators/onnx__GRU.html
#include "ops/operator_file.h"
#include "ops/shared/recurrent.h"
namespace opref::ops::onnx {
namespace {
constexpr std::string_view kNames[] = {"Sigmoid", "Tanh"};

// Of each step, (.) being element by element, gates in the order z, r, h:
//   zt = f(Xt·Wz^T + Ht-1·Rz^T + Wbz + Rbz)      rt likewise
//   ht = g(Xt·Wh^T + (rt (.) Ht-1)·Rh^T + Rbh + Wbh), with linear_before_reset g(Xt·Wh^T + rt (.) (Ht-1·Rh^T + Rbh) +
//   Wbh) Ht = (1 - zt) (.) ht + zt (.) Ht-1
// in real numbers over all steps: outputs are rounded, states are not.
struct Gru {
  explicit Gru(const Call& call)
      : layer(call, 3, kNames),
        initial_h(elements_if_given(call, "initial_h")),
        linear_before_reset(call.flag("linear_before_reset")) {}
  RecurrentLayer layer;
  std::optional<Elements> initial_h;
  bool linear_before_reset;

  std::int64_t program_of(size_t output, std::int64_t at) const { return layer.program_of(output, at); }

  template <class R>
  void operator()(std::int64_t p, const Reader<R>& x, Writer<R>& y) const {
    const Activation &f = layer.activation(p, 0), &g = layer.activation(p, 1);
    const auto n = static_cast<size_t>(layer.hidden());
    std::vector<R> H = layer.initial(x, initial_h, p);
    std::vector<std::array<R, 3>> gates;  // of the last step
    const auto tell = [&](size_t k) {
      const auto& [z, r, h] = gates[k];
      x.named("z", z), x.named("r", r), x.named("h", h);
    };
    for (std::int64_t step = 0; step < layer.steps(p); ++step) {
      const std::int64_t t = layer.time(p, step);
      const auto sum = [&](std::int64_t gate, std::int64_t k) {
        return layer.clipped(layer.of_input(x, p, t, gate, k) + layer.of_state(x, p, H, gate, k));
      };
      std::vector<R> r, r_H, next;
      gates.clear();
      for (size_t k = 0; k < n; ++k) {
        r.push_back(f.of(sum(1, static_cast<std::int64_t>(k))));
        r_H.push_back(r[k] * H[k]);
      }
      for (size_t k = 0; k < n; ++k) {
        const auto unit = static_cast<std::int64_t>(k);
        const R of_z = sum(0, unit), z = f.of(of_z);
        const R reset =
            linear_before_reset ? r[k] * layer.of_state(x, p, H, 2, unit) : layer.of_state(x, p, r_H, 2, unit);
        const R h = g.of(layer.clipped(layer.of_input(x, p, t, 2, unit) + reset));
        next.push_back(x.sum(f.complement(of_z) * h, z * H[k]));
        gates.push_back({z, r[k], h});
        y.put(0, layer.y_at(p, t, unit), [&] {
          tell(k);
          return next[k];
        });
      }
      H = std::move(next);
    }
    layer.pad(y, p, H);
    layer.put_state(y, 1, p, H, tell);
  }
};

std::vector<ValueType> output_types(const Call& call) { return recurrent_types(call, 3, kNames, 1); }

std::vector<Value> kernel(const Call& call, std::span<const Output> outs) {
  const Gru gru(call);
  return programs(outs, gru.layer.programs(), gru);
}

// "foward" is the page's spelling; it is the default alone that says so.
void version_1(OpSchema& s) {
  recurrent_version_1(s);
  s.change("direction") =
      with_default("direction", "foward", one_of({"forward", "foward", "reverse", "bidirectional"}));
  s.change_parameter("Y_h").arity = Arity::single;
  s.attribute(optional(STRINGS, "activations")).attribute(with_default("output_sequence", 0));
  s.shape_inference(ShapeInference::none);
}

void version_3(OpSchema& s) {
  s.change("direction") = with_default("direction", "forward", one_of({"forward", "reverse", "bidirectional"}));
  s.change_parameter("Y_h").arity = Arity::optional;
  s.attribute(with_default("linear_before_reset", 0)).shape_inference(ShapeInference::onnx);
}
}  // namespace
Operator gru() {
  return recurrent_operator(Operator("ai.onnx", "GRU").version(1, version_1).version(3, version_3))
      .summary("a recurrent layer of units with an update and a reset gate")
      .output_types(output_types)
      .kernel(kernel);
}
}  // namespace opref::ops::onnx
