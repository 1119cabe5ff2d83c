// SPDX-License-Identifier: Apache-2.0
// ai.onnx LSTM, versions 1, 7, 14, 22
// https://onnx.ai/onnx/operators/onnx__LSTM.html
#include "ops/operator_file.h"
#include "ops/shared/lstm_equations.h"
namespace opref::ops::onnx::file_lstm {
namespace {
constexpr std::string_view kNames[] = {"Sigmoid", "Tanh", "Tanh"};

}  // namespace
std::vector<Value> lstm_by(std::span<const Output> outs, const LstmLayer& of) {
  const LstmEquations<RecurrentLayer, true> lstm{of};
  return recurrences(outs, of.layer.programs(), lstm);
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
}  // namespace opref::ops::onnx::file_lstm
