// SPDX-License-Identifier: Apache-2.0
// ai.onnx GRU, versions 1, 3, 7, 14, 22
// https://onnx.ai/onnx/operators/onnx__GRU.html
#include "ops/operator_file.h"
#include "ops/shared/recurrent.h"
namespace opref::ops::onnx::file_gru {
namespace {
constexpr std::string_view kNames[] = {"Sigmoid", "Tanh"};

// Of each step, (.) being element by element, gates in the order z, r, h:
//   zt = f(Xt·Wz^T + Ht-1·Rz^T + Wbz + Rbz)      rt likewise
//   ht = g(Xt·Wh^T + (rt (.) Ht-1)·Rh^T + Rbh + Wbh), with linear_before_reset g(Xt·Wh^T + rt (.) (Ht-1·Rh^T + Rbh) +
//   Wbh) Ht = (1 - zt) (.) ht + zt (.) Ht-1
// in real numbers over all steps: outputs are rounded, states are not.
struct Gru : GruLayer {
  static constexpr bool kIsTraced = true;
  std::int64_t program_of(size_t output, std::int64_t at) const { return layer.program_of(output, at); }
  std::int64_t steps(std::int64_t p) const { return layer.steps(p); }

  template <class V>
  void operator()(std::int64_t p, const VectorReader<V>& x, VectorWriter<V>& y) const {
    const Activation &f = layer.activation(p, 0), &g = layer.activation(p, 1);
    V H = layer.initial(x, initial_h, p);
    States<V> states(x, H);
    Parts<V> last;  // of the last step
    for (std::int64_t step = 0; step < layer.steps(p); ++step) {
      const std::int64_t t = layer.time(p, step);
      const auto sum = [&](std::int64_t gate) {
        return layer.clipped(layer.of_state(x, p, H, gate) + layer.of_input(x, p, t, gate));
      };
      const V of_z = sum(0), z = f.of(of_z), r = f.of(sum(1));
      const V reset = linear_before_reset ? r * layer.of_state(x, p, H, 2) : layer.of_state(x, p, r * H, 2);
      const V h = g.of(layer.clipped(layer.of_input(x, p, t, 2) + reset));
      V next = evaluators::sum(f.complement(of_z) * h, z * H);
      last = {{"z", z}, {"r", r}, {"h", h}};
      states.next(next);
      H = next;
      y.put(0, layer.y_at(p, t), H, last);
    }
    layer.pad(y, p, H);
    layer.put_state(x, y, 1, p, H, last);
  }
};

}  // namespace
std::vector<Value> gru_by(std::span<const Output> outs, const GruLayer& of) {
  const Gru gru{of};
  return recurrences(outs, gru.layer.programs(), gru);
}
namespace {
std::vector<ValueType> output_types(const Call& call) { return recurrent_types(call, 3, kNames, 1); }

std::vector<Value> kernel(const Call& call, std::span<const Output> outs) {
  return gru_by(outs, {.layer = RecurrentLayer(recurrent_node(call, 3, kNames)),
                       .initial_h = elements_if_given(call, "initial_h"),
                       .linear_before_reset = call.flag("linear_before_reset")});
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
}  // namespace opref::ops::onnx::file_gru
