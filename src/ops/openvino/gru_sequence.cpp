// SPDX-License-Identifier: Apache-2.0
// openvino GRUSequence, version 5 (opset5)
#include "ops/operator_file.h"
#include "ops/shared/openvino_recurrent.h"
namespace opref::ops::openvino::file_gru_sequence {
namespace {
std::vector<ValueType> output_types(const Call& call) { return openvino_recurrent_types(call, gru_form()); }

// The steps of ai.onnx's GRU, gates in the order z, r, h
std::vector<Value> kernel(const Call& call, std::span<const Output> outs) {
  return onnx::gru_by(outs, openvino_gru(call));
}
}  // namespace
Operator gru_sequence() {
  return Operator("openvino", "GRUSequence")
      .summary("a recurrent layer of units with an update and a reset gate")
      .page("sequence/gru-sequence-5")
      .category("category sequence processing")
      .version(5,
               [](OpSchema& s) {
                 s.input("X", "T1")
                     .input("initial_hidden_state", "T1")
                     .input("sequence_lengths", "T2")
                     .input("W", "T1")
                     .input("R", "T1")
                     .input("B", "T1");
                 s.output("Y", "T1").output("Ho", "T1");
                 add_sequence_attributes(s);
                 s.attribute(with_default("linear_before_reset", 0, flag()));
               })
      .reading(sequence_length_zero_reading())
      .output_types(output_types)
      .kernel(kernel);
}
}  // namespace opref::ops::openvino::file_gru_sequence
