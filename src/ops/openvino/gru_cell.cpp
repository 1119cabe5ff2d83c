// SPDX-License-Identifier: Apache-2.0
// openvino GRUCell, version 3 (opset3)
#include "ops/operator_file.h"
#include "ops/shared/openvino.h"
#include "ops/shared/openvino_recurrent.h"
namespace opref::ops::openvino::file_gru_cell {
namespace {
std::vector<ValueType> output_types(const Call& call) { return openvino_recurrent_types(call, gru_form()); }

// One step of ai.onnx's GRU, gates in the order z, r, h
std::vector<Value> kernel(const Call& call, std::span<const Output> outs) {
  return onnx::gru_by(outs, openvino_gru(call));
}

void version_3(OpSchema& s) {
  s.input("X", "T").input("initial_hidden_state", "T").input("W", "T").input("R", "T").input("B", "T", Arity::optional);
  s.output("Ho", "T").types("T", computed_floats);
  add_recurrent_attributes(s, gru_form().activations);
  s.attribute(with_default("linear_before_reset", 0, flag()));
}
}  // namespace
Operator gru_cell() {
  return Operator("openvino", "GRUCell")
      .summary("a step of a recurrent layer of units with an update and a reset gate")
      .page("sequence/gru-cell-3")
      .category("category sequence processing")
      .version(3, version_3)
      .output_types(output_types)
      .kernel(kernel);
}
}  // namespace opref::ops::openvino::file_gru_cell
