// SPDX-License-Identifier: Apache-2.0
// openvino RNNSequence, version 5 (opset5)
#include "ops/operator_file.h"
#include "ops/shared/openvino_recurrent.h"
namespace opref::ops::openvino::file_rnn_sequence {
namespace {
std::vector<ValueType> output_types(const Call& call) { return openvino_recurrent_types(call, rnn_form()); }

// The steps of ai.onnx's RNN
std::vector<Value> kernel(const Call& call, std::span<const Output> outs) {
  return onnx::rnn_by(outs, openvino_rnn(call));
}
}  // namespace
Operator rnn_sequence() {
  return Operator("openvino", "RNNSequence")
      .summary("a recurrent layer of one activation per unit")
      .page("sequence/rnn-sequence-5")
      .category("category sequence processing")
      .version(5,
               [](OpSchema& s) {
                 s.input("X", "T1").input("H", "T1").input("sequence_lengths", "T2");
                 s.input("W", "T1").input("R", "T1").input("B", "T1").output("Y", "T1").output("Ho", "T1");
                 add_sequence_attributes(s);
               })
      .reading(sequence_length_zero_reading())
      .output_types(output_types)
      .kernel(kernel);
}
}  // namespace opref::ops::openvino::file_rnn_sequence
