// SPDX-License-Identifier: Apache-2.0
// openvino RNNCell, version 1 (opset1)
#include "ops/operator_file.h"
#include "ops/shared/openvino.h"
#include "ops/shared/openvino_recurrent.h"
namespace opref::ops::openvino::file_rnn_cell {
namespace {
std::vector<ValueType> output_types(const Call& call) { return openvino_recurrent_types(call, rnn_form()); }

// One step of ai.onnx's RNN
std::vector<Value> kernel(const Call& call, std::span<const Output> outs) {
  return onnx::rnn_by(outs, openvino_rnn(call));
}
}  // namespace
Operator rnn_cell() {
  return Operator("openvino", "RNNCell")
      .summary("a step of a recurrent layer of one activation per unit")
      .page("sequence/rnn-cell-3")
      .category("category sequence processing")
      .version(1,
               [](OpSchema& s) {
                 s.input("X", "T").input("H", "T").input("W", "T").input("R", "T").input("B", "T");
                 s.output("Ho", "T").types("T", computed_floats);
                 add_recurrent_attributes(s, rnn_form().activations);
               })
      .output_types(output_types)
      .kernel(kernel);
}
}  // namespace opref::ops::openvino::file_rnn_cell
