// SPDX-License-Identifier: Apache-2.0
// openvino LSTMCell, versions 1 (opset1), 4 (opset4)
#include "ops/operator_file.h"
#include "ops/shared/openvino.h"
#include "ops/shared/openvino_recurrent.h"
namespace opref::ops::openvino::file_lstm_cell {
namespace {
std::vector<ValueType> output_types(const Call& call) {
  if (call.version() < 4 && call.flag("input_forget"))
    fail(Fault::unsupported, "attribute 'input_forget' is true: the page does not say what it does");
  return openvino_recurrent_types(call, lstm_form());
}

// One step of ai.onnx's LSTM; weights_format says nothing of the gates, which are f, i, c, o.
std::vector<Value> kernel(const Call& call, std::span<const Output> outs) {
  return onnx::lstm_by(outs, openvino_lstm(call));
}

void version_1(OpSchema& s) {
  s.input("X", "T").input("initial_hidden_state", "T").input("initial_cell_state", "T").input("W", "T").input("R", "T");
  s.input("B", "T", Arity::optional).output("Ho", "T").output("Co", "T").types("T", computed_floats);
  add_recurrent_attributes(s, lstm_form().activations);
  s.attribute(with_default("input_forget", 0, flag()))
      .attribute(with_default("weights_format", "ifco", one_of({"fico", "ifco"})));
}
}  // namespace
Operator lstm_cell() {
  return Operator("openvino", "LSTMCell")
      .summary("a step of a recurrent layer of cells with an input, an output and a forget gate")
      .page("sequence/lstm-cell-1")
      .category("category sequence processing")
      .version(1, version_1)
      .version(4, [](OpSchema& s) { s.remove("input_forget").remove("weights_format"); })
      .reading(clip_cell_reading(1))
      .output_types(output_types)
      .kernel(kernel);
}
}  // namespace opref::ops::openvino::file_lstm_cell
