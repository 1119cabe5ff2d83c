// SPDX-License-Identifier: Apache-2.0
// openvino LSTMSequence, version 5 (opset5)
#include "ops/operator_file.h"
#include "ops/shared/openvino_recurrent.h"
namespace opref::ops::openvino::file_lstm_sequence {
namespace {
std::vector<ValueType> output_types(const Call& call) { return openvino_recurrent_types(call, lstm_form()); }

// The steps of ai.onnx's LSTM, gates in the order f, i, c, o
std::vector<Value> kernel(const Call& call, std::span<const Output> outs) {
  return onnx::lstm_by(outs, openvino_lstm(call));
}
}  // namespace
Operator lstm_sequence() {
  return Operator("openvino", "LSTMSequence")
      .summary("a recurrent layer of cells with an input, an output and a forget gate")
      .page("sequence/lstm-sequence-1")
      .category("category sequence processing")
      .version(5,
               [](OpSchema& s) {
                 s.input("X", "T1")
                     .input("initial_hidden_state", "T1")
                     .input("initial_cell_state", "T1")
                     .input("sequence_lengths", "T2")
                     .input("W", "T1")
                     .input("R", "T1")
                     .input("B", "T1");
                 s.output("Y", "T1").output("Ho", "T1").output("Co", "T1");
                 add_sequence_attributes(s);
               })
      .reading(clip_cell_reading(5))
      .reading(sequence_length_zero_reading())
      .output_types(output_types)
      .kernel(kernel);
}
}  // namespace opref::ops::openvino::file_lstm_sequence
