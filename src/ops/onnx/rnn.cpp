// SPDX-License-Identifier: Apache-2.0
// ai.onnx RNN, versions 1, 7, 14, 22
// https://onnx.ai/onnx/operators/onnx__RNN.html
#include "ops/operator_file.h"
#include "ops/shared/recurrent.h"
namespace opref::ops::onnx::file_rnn {
namespace {
constexpr std::string_view kNames[] = {"Tanh"};

// Ht = f(Xt·Wi^T + Ht-1·Ri^T + Wbi + Rbi), in real numbers over all steps: outputs are rounded, states are not.
struct Rnn : RnnLayer {
  static constexpr bool kIsTraced = true;
  std::int64_t program_of(size_t output, std::int64_t at) const { return layer.program_of(output, at); }
  std::int64_t steps(std::int64_t p) const { return layer.steps(p); }

  template <class V>
  void operator()(std::int64_t p, const VectorReader<V>& x, VectorWriter<V>& y) const {
    const Activation& f = layer.activation(p, 0);
    V H = layer.initial(x, initial_h, p);
    States<V> states(x, H);
    Parts<V> last;  // of the last step
    for (std::int64_t step = 0; step < layer.steps(p); ++step) {
      const std::int64_t t = layer.time(p, step);
      const V taken = layer.of_state(x, p, H, 0) + layer.of_input(x, p, t, 0);
      V next = f.of(layer.clipped(taken));
      last = {{"what f takes", taken}};
      states.next(next);
      H = next;
      y.put(0, layer.y_at(p, t), H, last);
    }
    layer.pad(y, p, H);
    layer.put_state(x, y, 1, p, H, last);
  }
};

}  // namespace
std::vector<Value> rnn_by(std::span<const Output> outs, const RnnLayer& of) {
  const Rnn rnn{of};
  return recurrences(outs, rnn.layer.programs(), rnn);
}
namespace {
std::vector<ValueType> output_types(const Call& call) { return recurrent_types(call, 1, kNames, 1); }

std::vector<Value> kernel(const Call& call, std::span<const Output> outs) {
  return rnn_by(outs, {.layer = RecurrentLayer(recurrent_node(call, 1, kNames)),
                       .initial_h = elements_if_given(call, "initial_h")});
}

// "activations" has two names by default; of one direction the first is used.
void version_1(OpSchema& s) {
  recurrent_version_1(s);
  s.attribute(with_default("activations", AttributeValue::of(std::vector<std::string>{"Tanh", "Tanh"})))
      .attribute(with_default("output_sequence", 0));
}
}  // namespace
Operator rnn() {
  return recurrent_operator(Operator("ai.onnx", "RNN").version(1, version_1))
      .summary("a recurrent layer of one activation per unit")
      .output_types(output_types)
      .kernel(kernel);
}
}  // namespace opref::ops::onnx::file_rnn
